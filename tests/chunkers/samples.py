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
        ("LIMIT", (), ("LIMIT",)),
        ("@decorated(", ("first",), ("first",)),
        ("class Foo(Base):", ("Foo",), ("Foo",)),
        ("    width: int", ("Foo",), ("width",)),
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
        ("// Server", ("Server",), ("Server", "Addr", "handler")),
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
        ("/// A point", ("Point",), ("Point", "horizontal", "vertical")),
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
        ("/** What", ("Foo",), ("Foo", "widthInCharacters")),
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
        ("/* A point", ("point",), ("point", "horizontal", "vertical", "depth")),
        ("/* Adds", ("add",), ("add",)),
        ("char *name_of", ("name_of",), ("name_of",)),
    ),
)

SAMPLES = (
    PYTHON,
    JAVASCRIPT,
    TYPESCRIPT,
    TSX,
    GO,
    RUST,
    JAVA,
    C,
)
