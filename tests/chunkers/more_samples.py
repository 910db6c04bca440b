"""The other half of the small programs."""

from __future__ import annotations

from tests.chunkers.samples import Sample

CPP = Sample(
    "a.cpp",
    """namespace geometry {
/// A shape of any kind.
template <typename Number>
class Shape : public Base {
 public:
  virtual double area() const = 0;
  int size() const { return number_of_corners_; }
};

double Circle::area() const {
  return 3.14159 * radius_ * radius_;
}
}  // namespace geometry
""",
    (
        ("namespace", ("geometry", "Shape"), ("geometry", "Shape", "area", "size")),
        ("double", ("geometry", "Circle", "area"), ("area",)),
    ),
)
C_SHARP = Sample(
    "a.cs",
    """namespace Example.Core
{
    /// <summary>What it is for.</summary>
    public class Runner : IRunner
    {
        public Runner(IServiceProvider services) { Services = services; }
        public async Task<int> RunAsync(CancellationToken token)
        {
            return await Services.Get<IWorker>().Work(token);
        }
    }
}
""",
    (
        ("namespace", ("Example.Core", "Runner", "Runner"), ("Example.Core", "Core", "Runner")),
        ("        public async", ("Example.Core", "Runner", "RunAsync"), ("RunAsync",)),
    ),
)
RUBY = Sample(
    "a.rb",
    """module Util
  class Foo < Bar
    # Makes one of its width.
    def initialize(width, height, depth)
      @width, @height = width, height
    end

    def self.build(configuration, logger)
      new(configuration.width, configuration.height)
    end
  end
end
""",
    (
        ("module Util", ("Util", "Foo", "initialize"), ("Util", "Foo", "initialize")),
        ("    def self.build", ("Util", "Foo", "build"), ("build",)),
    ),
)
PHP = Sample(
    "a.php",
    """<?php
/** What it is for. */
class Foo extends Bar {
    public function __construct(private int $width) {
        parent::__construct($width, self::HEIGHT);
    }
    #[Route("/run", methods: ["GET"])]
    public function run(Request $request): Response {
        return new Response($this->width);
    }
}
""",
    (
        ("<?php", ("Foo", "__construct"), ("Foo", "__construct", "width")),
        ("    #[Route", ("Foo", "run"), ("run",)),
    ),
)
KOTLIN = Sample(
    "a.kt",
    """/** What it is for. */
data class Foo(val width: Int, val height: Int) : Bar() {
    fun area(precision: Int, unit: LengthUnit): Int {
        return width * height * unit.factor
    }
}

object Registry {
    fun lookup(name: String): Foo? = entries[name.lowercase()]
}
""",
    (
        ("/** What", ("Foo",), ("Foo", "area", "width", "height")),
        ("object Registry", ("Registry",), ("Registry", "lookup")),
    ),
)
BASH = Sample(
    "a.sh",
    """#!/bin/bash
set -euo pipefail

# Prints what it is given.
say() {
  printf '%s\\n' "$1" "$2" "$3" "$4"
}

function other {
  say "something" "or" "other" "entirely"
}
""",
    (
        ("#!/bin/bash", (), ()),
        ("# Prints", ("say",), ("say",)),
        ("function other", ("other",), ("other",)),
    ),
)
SCALA = Sample(
    "a.scala",
    """/** What it is for. */
case class Foo(width: Int, height: Int) extends Bar {
  def area(precision: Int): Int = {
    width * height * precision
  }
}
object Registry {
  def lookup(name: String): Option[Foo] = entries.get(name.toLowerCase)
}
""",
    (
        ("/** What", ("Foo",), ("Foo", "area", "width", "height")),
        ("object Registry", ("Registry",), ("Registry", "lookup")),
    ),
)
SWIFT = Sample(
    "a.swift",
    """/// What it is for.
public class Foo: Bar {
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
    func area(precision: Int) -> Int {
        return width * height * precision
    }
}
""",
    (("/// What", ("Foo",), ("Foo", "init", "area")),),
)
LUA = Sample(
    "a.lua",
    """local M = {}
-- Adds two numbers.
function M.add(left, right, carry)
  return left + right + (carry or 0)
end
M.subtract = function(left, right, carry)
  return left - right - (carry or 0)
end
""",
    (
        ("local M", ("M.add",), ("M.add", "add", "M")),
        ("M.subtract", ("M.subtract",), ("M.subtract", "subtract")),
    ),
)
ELIXIR = Sample(
    "a.ex",
    """defmodule Example.Foo do
  @doc "Runs whatever it is given."
  def run(argument, options) when argument > 1 do
    argument + options[:increment]
  end
  defp hidden(argument, options), do: argument + options[:other]
end
""",
    (
        ("defmodule", ("Example.Foo", "run"), ("Example.Foo", "Foo", "run")),
        ("  defp hidden", ("Example.Foo", "hidden"), ("hidden",)),
    ),
)
HASKELL = Sample(
    "A.hs",
    """-- | Adds two numbers and a carry.
add :: Int -> Int -> Int -> Int
add left right carry = left + right + carry

data Shape = Circle Double | Square Double | Triangle Double Double
""",
    (
        ("-- | Adds", ("add",), ("add",)),
        ("data Shape", ("Shape",), ("Shape", "Circle", "Square", "Triangle")),
    ),
)
ZIG = Sample(
    "a.zig",
    """/// A point in the plane.
pub const Point = struct {
    horizontal: i32,
    pub fn init(horizontal: i32) Point {
        return .{ .horizontal = horizontal };
    }
};
pub fn main() void {
    std.debug.print("hello {s}\\n", .{"world"});
}
""",
    (
        ("/// A point", ("Point",), ("Point", "init", "horizontal")),
        ("pub fn main", ("main",), ("main",)),
    ),
)
CSS = Sample(
    "a.css",
    """/* The page itself. */
body { margin: 0; padding: 0; font-family: sans-serif; line-height: 1.5; color: black; }
@keyframes spin { from { transform: rotate(0deg); } to { transform: rotate(360deg); } }
""",
    (
        ("/* The page", ("body",), ("body",)),
        ("@keyframes", ("spin",), ("spin",)),
    ),
)

MORE_SAMPLES = (
    CPP,
    C_SHARP,
    RUBY,
    PHP,
    KOTLIN,
    BASH,
    SCALA,
    SWIFT,
    LUA,
    ELIXIR,
    HASKELL,
    ZIG,
    CSS,
)
