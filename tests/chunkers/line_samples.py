"""Small programs in languages without a grammar, with their definitions by rows."""

from __future__ import annotations

from typing import NamedTuple


class LineSample(NamedTuple):
    """`expected` are "FIRST-LAST path/of/names", lines counted from 1."""

    path: str
    text: str
    expected: str


LINE_SAMPLES = (
    LineSample(
        "Scanner.pm",
        """package Acme::Scanner;
use strict;
use constant LIMIT => 3;

has 'retries' => (is => 'rw');

=head2 scan

    sub scan_example {

=cut

# Reads one page.
sub scan {
    my ($self, @args) = @_;
    if (@args) { return 1; }
    return $self->page(sub { 2 });
}

BEGIN { $x = 1 }

package Acme::Page {
    sub new { bless {}, shift }
}
1;
""",
        """1-25 Acme::Scanner
        3-3 Acme::Scanner/LIMIT
        5-5 Acme::Scanner/retries
        14-18 Acme::Scanner/scan
        22-24 Acme::Scanner/Acme::Page
        23-23 Acme::Scanner/Acme::Page/new""",
    ),
    LineSample(
        "scanner.dart",
        """import 'dart:io';

/// Scans pages.
abstract mixin class Scanner extends Device with Logging {
  final int limit;

  @override
  Future<List<Page>> scan(String name, {
    int? pages,
  }) async {
    if (pages == null) {
      return await open(name, (x) {
        print(x);
      });
    }
    final found = compute(pages);
    return found;
  }

  int get count => _count;
  static bool isReady(Scanner one) => one.limit > 0;
}

mixin Logging {}
enum Mode { fast, slow }
extension Pages on List<Page> {}
typedef Reader = int Function(String);
void main() {
  runApp();
}
""",
        """4-22 Scanner
        8-18 Scanner/scan
        20-20 Scanner/count
        21-21 Scanner/isReady
        24-24 Logging
        25-25 Mode
        26-26 Pages
        27-27 Reader
        28-30 main""",
    ),
    LineSample(
        "scanner.erl",
        """-module(scanner).
-export([scan/1]).

-record(page, {number, text}).
-type mode() :: fast | slow.

%% Scans the pages.
-spec scan([page()]) ->
    ok.
scan([]) ->
    ok;
scan([Page | Rest]) ->
    read(Page),
    scan(Rest).

read(#page{number = N}) -> N.
""",
        """1-16 scanner
        4-4 scanner/page
        5-5 scanner/mode
        10-14 scanner/scan
        16-16 scanner/read""",
    ),
    LineSample(
        "Scanner.groovy",
        """package acme

class Scanner implements Device {
    def limit = 3

    @Override
    List<Page> scan(String name) {
        if (name) { return [] }
    }

    def stop() {
    }
}
""",
        """3-13 Scanner
        7-9 Scanner/scan
        11-12 Scanner/stop""",
    ),
    LineSample(
        "scanner.d",
        """module acme.scanner;

struct Page { int number; }

class Scanner
{
    /// Scans.
    int[] scan(string name) {
        return null;
    }
}
alias Pages = Page[];
""",
        """1-12 acme.scanner
        3-3 acme.scanner/Page
        5-11 acme.scanner/Scanner
        8-10 acme.scanner/Scanner/scan
        12-12 acme.scanner/Pages""",
    ),
    LineSample(
        "scanner.vala",
        """public class Acme.Scanner : Object {
    public int scan (string name) {
        return 1;
    }
    public async void stop() throws Error {
    }
}
""",
        """1-7 Acme.Scanner
        2-4 Acme.Scanner/scan
        5-6 Acme.Scanner/stop""",
    ),
    LineSample(
        "light.glsl",
        """#define LIGHTS 4
struct Light { vec3 at; };

vec3 shade(vec3 normal, Light light) {
    return max(dot(normal, light.at), 0.0) * vec3(1.0);
}
""",
        """1-1 LIGHTS
        2-2 Light
        4-6 shade""",
    ),
    LineSample(
        "Scanner.fs",
        """module Acme.Scanner

type Mode =
    | Fast
    | Slow

/// Scans.
let rec scan name pages =
    let count = List.length pages
    count

let limit = 3

type Device(name: string) =
    member this.Name = name
    static member Create() = Device("a")
""",
        """1-16 Acme.Scanner
        3-5 Acme.Scanner/Mode
        8-10 Acme.Scanner/scan
        12-12 Acme.Scanner/limit
        14-16 Acme.Scanner/Device
        15-15 Acme.Scanner/Device/Name
        16-16 Acme.Scanner/Device/Create""",
    ),
    LineSample(
        "scanner.nim",
        """type
  Page* = object
    number: int

# Scans.
proc scan*(name: string): seq[Page] =
  result = @[]

func `+`(a, b: Page): Page = a
""",
        """2-3 Page
        6-7 scan
        9-9 +""",
    ),
    LineSample(
        "scanner.cr",
        """module Acme
  # Scans.
  abstract class Scanner < Device
    def self.scan(name)
      1
    rescue
      2
    end

    def ready?
    end
  end
end
""",
        """1-13 Acme
        3-12 Acme/Scanner
        4-8 Acme/Scanner/scan
        10-11 Acme/Scanner/ready?""",
    ),
    LineSample(
        "scanner.el",
        """;; Scans.
(defun acme-scan (name)
  "Scan NAME."
  (let ((found 1))
    found))

(setq acme-limit 3)
(defvar acme-pages nil)
(cl-defstruct (page) number)
(define (curried a) a)
""",
        """2-5 acme-scan
        8-8 acme-pages
        9-9 page
        10-10 curried""",
    ),
    LineSample(
        "scanner.f90",
        """module acme
  implicit none
  type :: page
    integer :: number
  end type page
contains
  pure integer function scan(name) result(found)
    character(len=*), intent(in) :: name
    found = 1
  end function scan

  SUBROUTINE stop_all()
  END SUBROUTINE
end module acme
""",
        """1-14 acme
        3-5 acme/page
        7-10 acme/scan
        12-13 acme/stop_all""",
    ),
    LineSample(
        "scanner.tcl",
        """namespace eval acme {
    # Scans.
    proc scan {name} {
        return 1
    }
}
proc ::acme::stop {} {}
""",
        """1-6 acme
        3-5 acme/scan
        7-7 acme::stop""",
    ),
    LineSample(
        "scanner.gleam",
        """pub type Page {
  Page(number: Int)
}

/// Scans.
pub fn scan(name: String) -> List(Page) {
  []
}
""",
        """1-3 Page
        6-8 scan""",
    ),
    LineSample(
        "Scanner.elm",
        """module Scanner exposing (..)

type alias Page =
    { number : Int }

{-| Scans. -}
scan : String -> List Page
scan name =
    let
        found = []
    in
    found
""",
        """3-4 Page
        7-12 scan""",
    ),
    LineSample(
        "Scanner.purs",
        """module Acme.Scanner where

data Page = Page Int

-- | Scans.
scan :: String -> Array Page
scan name = go name
  where
  go _ = []
""",
        """1-9 Acme.Scanner
        3-3 Acme.Scanner/Page
        6-9 Acme.Scanner/scan""",
    ),
    LineSample(
        "scanner.sv",
        """// Scans.
module scanner #(parameter W = 8) (
  input logic clk
);
  function automatic logic [3:0] parity(input logic a);
    return a;
  endfunction
endmodule
""",
        """2-8 scanner
        5-7 scanner/parity""",
    ),
    LineSample(
        "scanner.vhd",
        """-- Scans.
entity scanner is
  port (clk : in bit);
end entity;

architecture rtl of scanner is
begin
end rtl;
""",
        """2-4 scanner
        6-8 rtl""",
    ),
    LineSample(
        "scanner.pas",
        """unit Acme;

type
  TPage = class
    procedure Read;
  end;

procedure TPage.Read;
var
  N: Integer;
begin
  N := 1;
end;
""",
        """1-13 Acme
        4-6 Acme/TPage
        5-5 Acme/TPage/Read
        8-13 Acme/TPage.Read""",
    ),
    LineSample(
        "scanner.odin",
        """package acme

Page :: struct {
    number: int,
}

scan :: proc(name: string) -> int {
    return 1
}
""",
        """3-5 Page
        7-9 scan""",
    ),
    LineSample(
        "scanner.mojo",
        """struct Page:
    var number: Int

    fn read(self) -> Int:
        return 1
""",
        """1-5 Page
        4-5 Page/read""",
    ),
    LineSample(
        "scanner.thrift",
        """// A page.
struct Page {
  1: i32 number
}
service Scanner {
  Page scan(1: string name)
}
typedef list<Page> Pages
""",
        """2-4 Page
        5-7 Scanner
        8-8 Pages""",
    ),
    LineSample(
        "scanner.bzl",
        """load("//acme:pages.bzl", "page")

# Scans.
def scan(name, pages = []):
    page(name = name)

scanner = rule(
    implementation = scan,
)
""",
        """4-5 scan
        7-9 scanner""",
    ),
    LineSample(
        "scanner.fish",
        """# Scans.
function scan --description 'Scan'
    echo 1
end
""",
        "2-4 scan",
    ),
    LineSample(
        "scanner.awk",
        """function scan(name) {
    return 1
}
END { print scan("a") }
""",
        "1-3 scan",
    ),
    LineSample(
        "scanner.vim",
        """" Scans.
function! acme#scan(name) abort
  return 1
endfunction
fu s:stop()
endfu
""",
        """2-4 acme#scan
        5-6 stop""",
    ),
)
