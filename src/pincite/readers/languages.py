"""Detect the type of a file by its name, else by its first line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pincite.model import SourceType


class FileType(msgspec.Struct, frozen=True):
    """The type of a file. `language` is a lower-case name (`python`, `markdown`, `json`)."""

    language: str
    source_type: SourceType


_SUFFIXES: dict[SourceType, str] = {
    "docs": """markdown:md,markdown,mdx,mdown,mkd,qmd,rmd,mdc rst:rst,rest
        text:txt,text,pod,mld asciidoc:adoc,asciidoc org:org html:html,htm,xhtml
        roff:roff,mdoc pdf:pdf word:docx slides:pptx,pptm epub:epub notebook:ipynb""",
    "code": """python:py,pyi,pyw,pyx,pxd javascript:js,mjs,cjs,jsx typescript:ts,mts,cts tsx:tsx
        go:go rust:rs java:java c:c,h cpp:cc,cpp,cxx,c++,hh,hpp,hxx,h++,ipp,inl,cu,cuh,ino
        c_sharp:cs,csx dockerfile:dockerfile
        ruby:rb,rake,gemspec,ru php:php,phtml kotlin:kt,kts bash:sh,bash,zsh,ksh,bats
        scala:scala,sc,sbt swift:swift lua:lua css:css elixir:ex,exs haskell:hs zig:zig
        sql:sql scss:scss,sass,less perl:pl,pm,t,psgi r:r julia:jl dart:dart groovy:groovy,gradle
        objective_c:m,mm fsharp:fs,fsx,fsi ocaml:ml,mli erlang:erl,hrl clojure:clj,cljs,cljc,edn
        fortran:f90,f95,f03,f08,for pascal:pas nim:nim d:d vala:vala powershell:ps1,psm1
        batch:bat,cmd fish:fish vue:vue svelte:svelte astro:astro graphql:graphql,gql
        protobuf:proto thrift:thrift terraform:tf,tfvars,hcl cmake:cmake make:mk,mak nix:nix
        solidity:sol assembly:s,asm verilog:v,sv vhdl:vhd,vhdl glsl:glsl,vert,frag,wgsl,hlsl
        lisp:lisp,el,scm,rkt tcl:tcl vim:vim awk:awk starlark:bzl,star m4:m4,ac
        jinja:j2,jinja,jinja2,tpl,tftpl,ep,epl,mt
        cython:pxi crystal:cr elm:elm purescript:purs gleam:gleam odin:odin mojo:mojo""",
    "data": """json:json,jsonc,json5,jsonl,ndjson,geojson,webmanifest yaml:yaml,yml toml:toml
        xml:xml,xsd,xsl,xslt,wsdl,plist,csproj,fsproj,vbproj,props,targets csv:csv tsv:tsv
        spreadsheet:xlsx,xlsm
        ini:ini,cfg,conf,properties,desktop,service,editorconfig text:opam""",
}
_NAMES: dict[SourceType, str] = {
    "docs": """text:readme,license,licence,copying,notice,authors,contributors,changelog,changes,
        history,news,todo,install,faq,thanks,credits,maintainers,codeowners,
        llms.txt""",
    "code": """dockerfile:dockerfile,containerfile make:makefile,gnumakefile cmake:cmakelists.txt
        ruby:gemfile,rakefile,podfile,vagrantfile,brewfile groovy:jenkinsfile just:justfile
        starlark:build,build.bazel,workspace,tiltfile procfile:procfile go_mod:go.mod,go.work
        lisp:dune m4:configure.in""",
    "data": "ini:.editorconfig,.gitconfig toml:pipfile text:metadata,pkg-info,dune-project",
}
_SHEBANGS = {
    "python": "python", "bash": "bash", "sh": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash",
    "node": "javascript", "deno": "typescript", "bun": "typescript", "ruby": "ruby",
    "perl": "perl", "php": "php", "lua": "lua", "elixir": "elixir", "fish": "fish",
    "Rscript": "r", "awk": "awk", "make": "make", "swift": "swift", "groovy": "groovy",
}  # fmt: skip
#: The name of a manual page (`tool.1`, `tool.1.in`), and the beginning of its source.
_MANUAL = re.compile(
    r"(?!.*\.(?:log|so|mo)\.|.*\.(?:7z|3gp?p?)\Z).+\.(?:[1-9][a-z]{0,7}|man)(?:\.in)?"
)
_ROFF = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:[.']\s?\\\"|\.(?:TH|SH|Dd|Id|so|mso|ds|de|nr|if|ie|el|ig|nh|ad|hy)\s)"
)
#: A line of a cram test, and one that such a test does not have.
_COMMAND = re.compile(r"^  \$ ", re.MULTILINE)
_PERL = re.compile(
    r"^(?:(?:use|no|package|require)\s[^\n;]*;|(?:my|our)\s?[$@%(]|sub\s+\w+\s*\{)", re.MULTILINE
)
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?(?:\S*/)?([A-Za-z]+)")


def _table(spec: dict[SourceType, str]) -> dict[str, FileType]:
    return {
        key.strip(): FileType(language, source_type)
        for source_type, text in spec.items()
        for language, _, keys in (
            item.partition(":") for item in re.sub(r",\s+", ",", text).split()
        )
        for key in keys.split(",")
    }


#: The file types by suffix and by name, in lower case. The table in docs/sources.md has them all.
BY_SUFFIX = _table(_SUFFIXES)
BY_NAME = _table(_NAMES)
#: All names of languages. The content of a file decides that it is a `transcript`.
LANGUAGES = frozenset(
    ("transcript", *(each.language for each in (*BY_SUFFIX.values(), *BY_NAME.values())))
)
_OTHER_NAMES = {
    "c#": "c_sharp", "csharp": "c_sharp", "f#": "fsharp", "f_sharp": "fsharp", "golang": "go",
    "shell": "bash", "objectivec": "objective_c", "objc": "objective_c", "docker": "dockerfile",
    "pwsh": "powershell", "vimscript": "vim", "viml": "vim", "elisp": "lisp", "emacs_lisp": "lisp",
    "scheme": "lisp", "racket": "lisp", "node": "javascript",
    "bazel": "starlark", "makefile": "make", "system_verilog": "verilog", "delphi": "pascal",
}  # fmt: skip


def file_type(path: str, head: bytes = b"") -> FileType | None:
    """Return the type of a file, or None if no reader reads it.

    `head` has the first bytes. Without them, a script or manual page that only its first line
    identifies is not recognised.
    """
    name = path.rpartition("/")[2].lower()
    if name in BY_NAME:
        return BY_NAME[name]
    stem, dot, suffix = name.rpartition(".")
    if dot and suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if stem in ("dockerfile", "makefile", "containerfile"):  # Dockerfile.dev
        return BY_NAME[stem]
    if _MANUAL.fullmatch(name) and _ROFF.match(head):
        return FileType("roff", "docs")
    shebang = _SHEBANG.match(head)
    if shebang and (language := _SHEBANGS.get(shebang[1].decode("ascii"))):
        return FileType(language, "code")
    return None


def language_called(name: str) -> str | None:
    """Return the language that people call this: its name here, another name of it, or a suffix
    that its files have, in any case, with spaces or hyphens. None if there is none."""
    called = re.sub(r"[\s-]", "_", name.strip().lower())
    if called in LANGUAGES:
        return called
    found = BY_SUFFIX.get(called)
    return _OTHER_NAMES.get(called) or (found.language if found else None)


def may_be_manual(path: str) -> bool:
    """Return whether a file is named like a manual page, whose content tells (`file_type`)."""
    return _MANUAL.fullmatch(path.rpartition("/")[2].lower()) is not None


def is_dot_t(path: str) -> bool:
    """Return whether a file is named `*.t`. `file_type` calls it Perl: only its content tells
    (`dot_t_type`)."""
    return path[-2:].lower() == ".t"


def dot_t_type(text: str) -> FileType:
    """Return the type of a test named `*.t` by its content: Perl, or text if it consists of
    commands and their output, as cram runs it. There, commands are indented by two blanks and begin
    with `$`."""
    if _COMMAND.search(text) and not _PERL.search(text):
        return FileType("text", "code")
    return BY_SUFFIX["t"]


def is_header(path: str) -> bool:
    """Return whether a file is a header of C, C++ or Objective-C. `file_type` calls it C: only its
    content tells (`pincite.readers.headers`)."""
    return path[-2:].lower() == ".h"


def may_be_read(path: str) -> bool:
    """Return False if the name alone excludes a file; check before its bytes are fetched."""
    name = path.rpartition("/")[2]
    may_be_script = "." not in name.lstrip(".")
    return may_be_script or may_be_manual(path) or file_type(path) is not None
