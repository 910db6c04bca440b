"""Small programs, one per language, and what is to be found in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """`expected` are (first words of the chunk, its symbol path, the names it defines)."""

    path: str
    text: str
    expected: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]


PYTHON = Sample(
    "a.py",
    '''"""What the module is for."""
import os

LIMIT = 3
"""What the limit means."""


@decorated(
    with_arguments=1,
)
def first(argument):
    """Says what it does."""
    return argument + LIMIT


class Foo(Base):
    """Says what it is."""

    width: int = 0
    """The width in characters."""

    # said before the decorator
    @property
    def area(self):
        return self.width * self.height

    async def wait(self):
        await self.client.wait_until_done(timeout=self.timeout)
        return self.client
''',
    (
        ('"""What', (), ()),
        ("LIMIT", (), ()),
        ("@decorated(", ("first",), ("first",)),
        ("class Foo(Base):", ("Foo",), ("Foo",)),
        ("    width: int", ("Foo",), ()),
        ("    # said", ("Foo", "area"), ("area",)),
        ("    async", ("Foo", "wait"), ("wait",)),
    ),
)
JAVASCRIPT = Sample(
    "a.js",
    """/** Adds two numbers. */
export function add(left, right) {
  return left + right + somethingElse;
}

const subtract = (left, right) => {
  return left - right - somethingElse;
};

export class Point extends Base {
  constructor(x, y, z, coordinates) {
    super(x, y, z, coordinates);
  }

  /** How long it is. */
  get length() {
    return Math.sqrt(this.x * this.x + this.y);
  }
}
""",
    (
        ("/** Adds", ("add",), ("add",)),
        ("const subtract", ("subtract",), ("subtract",)),
        ("export class", ("Point", "constructor"), ("Point", "constructor")),
        ("  /** How", ("Point", "length"), ("length",)),
    ),
)
TYPESCRIPT = Sample(
    "a.ts",
    """export interface Shape {
  area(): number;
  perimeterInMillimetres(): number;
}
export type Identifier = string | number | undefined | null;
@Component({ selector: "a-circle", template: "<p/>" })
export class Circle implements Shape {
  area(): number {
    return Math.PI * this.radius * this.radius;
  }
}
export const makeCircle = (radius: number): Circle => {
  return new Circle(radius, defaults);
};
""",
    (
        ("export interface", ("Shape",), ("Shape", "area", "perimeterInMillimetres")),
        ("export type", ("Identifier",), ("Identifier",)),
        ("@Component", ("Circle",), ("Circle", "area")),
        ("export const", ("makeCircle",), ("makeCircle",)),
    ),
)
TSX = Sample(
    "a.tsx",
    """export const App: React.FC<Props> = ({ children }) => {
  return <div className="application">{children}</div>;
};
export default function Page({ title }: PageProps) {
  return <App><h1 className="title">{title}</h1></App>;
}
""",
    (
        ("export const", ("App",), ("App",)),
        ("export default", ("Page",), ("Page",)),
    ),
)
GO = Sample(
    "a.go",
    """// Server serves what is asked for.
type Server struct {
	Addr string
	handler http.Handler
}

// Start listens on the address.
func (s *Server) Start(ctx context.Context) error {
	return s.listen(ctx, s.Addr)
}

func (l List[T]) Len() int {
	return len(l.items) + len(l.others)
}
""",
    (
        ("// Server", ("Server",), ("Server",)),
        ("// Start", ("Server", "Start"), ("Start",)),
        ("func (l", ("List", "Len"), ("Len",)),
    ),
)
RUST = Sample(
    "a.rs",
    """/// A point in the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    horizontal: i32,
    vertical: i32,
}

impl Point {
    /// Makes one of its coordinates.
    pub fn new(horizontal: i32) -> Self {
        Self { horizontal, vertical: 0 }
    }
}

impl<T> fmt::Display for Wrapper<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.inner_value)
    }
}
""",
    (
        ("/// A point", ("Point",), ("Point",)),
        ("impl Point", ("Point",), ("new",)),
        ("impl<T>", ("Wrapper",), ("fmt",)),
    ),
)
JAVA = Sample(
    "A.java",
    """package org.example;

/** What it is for. */
@Service
public class Foo extends Bar {
    private final int widthInCharacters;

    /** Makes one. */
    public Foo(int widthInCharacters) {
        this.widthInCharacters = widthInCharacters;
    }

    @Override
    public String toString() {
        return "Foo of " + widthInCharacters;
    }
}
""",
    (
        ("package", (), ()),
        ("/** What", ("Foo",), ("Foo",)),
        ("    /** Makes", ("Foo", "Foo"), ("Foo",)),
        ("    @Override", ("Foo", "toString"), ("toString",)),
    ),
)
C = Sample(
    "a.c",
    """/* A point in the plane. */
struct point {
    int horizontal, vertical, depth;
};

/* Adds them. */
static int
add(int left, int right, int carry)
{
    return left + right + carry;
}

char *name_of(struct point *point, int depth) {
    return point->names[depth];
}
""",
    (
        ("/* A point", ("point",), ("point",)),
        ("/* Adds", ("add",), ("add",)),
        ("char *name_of", ("name_of",), ("name_of",)),
    ),
)
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
        ("namespace", ("Example.Core", "Runner", "Runner"), ("Example.Core", "Runner")),
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
        ("<?php", ("Foo", "__construct"), ("Foo", "__construct")),
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
        ("/** What", ("Foo",), ("Foo", "area")),
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
        ("/** What", ("Foo",), ("Foo", "area")),
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
        ("local M", ("M.add",), ("M.add",)),
        ("M.subtract", ("M.subtract",), ("M.subtract",)),
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
        ("defmodule", ("Example.Foo", "run"), ("Example.Foo", "run")),
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
        ("data Shape", ("Shape",), ("Shape",)),
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
        ("/// A point", ("Point",), ("Point", "init")),
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
SAMPLES = (
    PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST, JAVA, C, CPP, C_SHARP, RUBY, PHP, KOTLIN, BASH,
    SCALA, SWIFT, LUA, ELIXIR, HASKELL, ZIG, CSS,
)  # fmt: skip
