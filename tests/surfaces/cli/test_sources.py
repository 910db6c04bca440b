"""How sources are described: by options, by configuration, by what is remembered."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

from pincite.readers.front_matter import front_matter_of
from pincite.settings.load import load_settings
from pincite.settings.sections.sources import sources_from
from tests.sources.helpers import commit
from tests.surfaces.conftest import Cli

PAGE = "# Guide\n\nHow to feed a walrus.\n\n## Every day\n\nFeed the walrus {} fish.\n"
RULE = r"docs/(.*)\.md=>https://x.org/\1/"


def found(cli: Cli, path: str = "docs/guide.md") -> dict[str, str]:
    items = cli.json("search", "feed the walrus")["evidence"]
    return next(item for item in items if item["path"] == path)


def test_a_rule_gives_addresses_and_what_it_does_not_match_is_noted(cli: Cli) -> None:
    cli.write("docs/guide.md", PAGE.format("ten " * 200))
    cli.write("notes.md", "# Notes\n\nThe walrus is fed.\n")
    (report,) = cli.json("index", ".", "--lexical", "--url-rule", RULE, "--ref", "v1")
    assert report["noted"] == {"no_address": 1}
    items = cli.json("search", "feed the walrus fish every day", "--limit", "9")["evidence"]
    citations = [item["citation"].partition(":")[2] for item in items]
    places = [re.sub(r"#L[^#]*$", "", one) for one in citations]
    assert "https://x.org/guide/#every-day" in places
    assert all(re.search(r"#L\d+(C\d+)?(-L\d+(C\d+)?)?$", one) for one in citations)
    assert "notes.md#L1-L3" in citations
    assert next(i["url"] for i in items if i["path"] == "notes.md") is None


def test_what_is_not_given_again_stays_and_a_new_rule_touches_only_what_it_concerns(
    cli: Cli,
) -> None:
    cli.write("docs/guide.md", PAGE.format("ten"))
    cli.write("docs/keep.py", "walrus = 1\n")
    (first,) = cli.json("index", ".", "--lexical", "--ref", "v1", "--name", "zoo")
    assert (first["new"], found(cli)["citation"]) == (2, "zoo@v1:docs/guide.md#L1-L7")
    (second,) = cli.json("index", ".", "--url-rule", RULE)
    assert (second["changed"], second["unchanged"]) == (1, 1)
    assert found(cli)["citation"] == "zoo@v1:https://x.org/guide/#L1-L7"
    for again in (("index",), ("index", ".")):
        (third,) = cli.json(*again)
        assert (third["source"], third["unchanged"]) == ("zoo", 2)
        assert found(cli)["citation"] == "zoo@v1:https://x.org/guide/#L1-L7"


def test_a_file_describes_sources_and_options_win(cli: Cli) -> None:
    cli.write("site/docs/guide.md", PAGE.format("ten"))
    cli.write("site/docs/skip.md", "# Skip\n\nwalrus\n")
    cli.write(
        "pincite.toml",
        f"""
[[source]]
path = "site"
name = "acme/zoo"
ref = "{"ab" * 20}"
url_rule = ['docs/index\\.md → https://x.org/', '{RULE}']
anchors = "github"
exclude = ["skip.md"]

[select]
results = 5
""",
    )
    (report,) = cli.json("index")
    assert (report["source"], report["new"]) == ("acme/zoo", 1)
    assert found(cli)["citation"] == f"acme/zoo@{'ab' * 20}:https://x.org/guide/#L1-L7"
    (report,) = cli.json("index", "site", "--ref", "v2")
    assert found(cli)["citation"] == "acme/zoo@v2:https://x.org/guide/#L1-L7"


def test_a_malformed_description_is_refused_with_file_and_key(cli: Cli) -> None:
    cli.write("a.md", "# A\n")
    cli.write("pincite.toml", '[[source]]\npath = "."\nurl = "x"\n')
    done = cli("index", ".", "--lexical", code=2)
    assert "pincite.toml" in done.stderr
    assert "`url`" in done.stderr
    assert "url_rule" in done.stderr
    cli.write("pincite.toml", '[[source]]\npath = "."\nurl_rule = "nonsense"\n')
    done = cli("index", ".", "--lexical", code=2)
    assert "nonsense" in done.stderr
    assert "pincite.toml" in done.stderr
    assert not (cli.folder / ".pincite" / "catalog.db").exists()
    (cli.folder / "pincite.toml").unlink()
    assert "x=>y" in cli("index", ".", "--lexical", "--url-rule", "x=>y", code=2).stderr


def test_a_checkout_is_cited_by_its_commit_until_a_ref_is_given(cli: Cli) -> None:
    place = cli.write("repo/docs/guide.md", PAGE.format("ten")).parent.parent
    sha = commit(place)
    cli("index", "repo", "--lexical", "--url-rule", RULE)
    assert found(cli)["citation"] == f"repo@{sha}:https://x.org/guide/#L1-L7"
    cli("index", "repo", "--ref", "release-1")
    cli("index")
    assert found(cli)["citation"] == "repo@release-1:https://x.org/guide/#L1-L7"


def test_the_examples_of_the_documentation_are_descriptions(tmp_path: Path) -> None:
    docs = Path(__file__).parents[3] / "docs"
    page = (docs / "sources.md").read_text("utf-8")
    of_attributes = (docs / "attributes.md").read_text("utf-8")
    types, block, folders = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    (other,) = re.findall(r"^```toml\n(.*?)^```", of_attributes, re.M | re.S)
    (tmp_path / "pincite.toml").write_text(other)
    settings = load_settings({}, tmp_path)
    assert settings.attributes == {"course": "keyword", "year": "integer"}
    assert settings.sources[0].attributes == {"course": "ml", "year": 2026}
    assert settings.use.options["main"].require == ("institution", "mode")
    (front,) = re.findall(r"^```yaml\n(.*?)^```", of_attributes, re.M | re.S)
    assert front_matter_of(front).values["topics"] == ["nets", "gradients"]
    (typed,) = sources_from(tomllib.loads(types)["source"], "sources.md", Path("/x"))
    assert typed.file_type_texts == ("*.caddyfiletest=text", "*.tmpl=html")
    (described,) = sources_from(tomllib.loads(folders)["source"], "sources.md", Path("/x"))
    assert described.descriptions["runbooks/"] == "For the night shift"
    (source,) = sources_from(tomllib.loads(block)["source"], "sources.md", Path("/x"))
    assert (source.path, source.name) == ("/x/adk-docs", "google/adk-docs")
    assert source.url_rules is not None


def test_a_source_that_is_renamed_is_not_indexed_twice(cli: Cli) -> None:
    cli.write("site/guide.md", PAGE.format("ten"))
    cli.write("pincite.toml", '[[source]]\npath = "site"\nname = "before"\n')
    cli("index", "--lexical")
    cli.write("pincite.toml", '[[source]]\npath = "site"\nname = "after"\n')
    reports = cli.json("index")
    assert [report["source"] for report in reports] == ["after"]
    status = cli.json("status")
    assert "before" not in json.dumps(status)
    assert found(cli, "guide.md")["citation"].startswith("after@")
    (again,) = cli.json("index")
    assert (again["source"], again["unchanged"]) == ("after", 1)


def test_two_names_for_two_parts_of_a_folder_stay(cli: Cli) -> None:
    cli.write("site/guide.md", PAGE.format("ten"))
    cli.write("site/other.txt", "other words\n")
    cli("index", "site", "--lexical", "--name", "pages", "--include", "*.md")
    cli("index", "site", "--name", "texts", "--include", "*.txt")
    assert sorted(report["source"] for report in cli.json("index")) == ["pages", "texts"]


def test_a_folder_whose_path_is_not_text_is_named(cli: Cli) -> None:
    place = os.fsdecode(os.fsencode(cli.folder) + b"/x\xff")
    (Path(place) / "inner").mkdir(parents=True)
    (Path(place) / "inner" / "a.md").write_text("# A\n")
    done = cli("index", f"{place}/inner", "--lexical", code=1)
    assert "x\\xff/inner is not valid UTF-8" in done.stderr
    assert "try: rename the folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_whose_name_is_not_text_is_not_called_a_folder(cli: Cli) -> None:
    place = os.fsdecode(os.fsencode(cli.folder) + b"/x\xff.md")
    Path(place).write_text("# A\n")
    said = cli("index", place, "--lexical", code=1).stderr
    assert "try: rename the file" in said


def test_attributes_are_set_kept_shown_and_changed(cli: Cli) -> None:
    cli.write("docs/guide.md", f"---\nyear: 2026\nkind: x\n---\n\n{PAGE.format('ten')}")
    cli.write("docs/other.md", PAGE.format("two"))
    first = cli("index", "docs", "--lexical", "--set", "course=ml", "--set", "who=\x1b[31mAda")
    assert "warning: attribute_new: attribute `course` has the type keyword" in first.stderr
    assert "attribute `year` has the type integer (first seen in guide.md)" in first.stderr
    status = cli("status").stdout
    assert "attributes  course keyword, who keyword, year integer" in status
    assert "attributes: course=ml, who=" in status
    assert "\x1b" not in status
    assert "attribute_reserved: guide.md" in status
    (again,) = cli.json("index")
    assert (again["unchanged"], again["rewritten"]) == (2, 0)
    changed = cli("index", "docs", "--set", "course=stats", "--set", "who=")
    assert "2 with new attributes" in changed.stderr
    source = cli.json("status")["collections"][0]["sources"][0]["source"]
    assert source["attributes"] == {"course": "stats"}
    refused = cli("index", "docs", "--set", "year=soon", code=2)
    assert "--set year: 'soon' is not a valid integer" in refused.stderr


def test_a_required_attribute_is_given_in_the_settings(cli: Cli) -> None:
    cli.write("docs/guide.md", f"---\ninstitution: south\n---\n\n{PAGE.format('ten')}")
    cli.write("docs/other.md", PAGE.format("two"))
    cli.write("pincite.toml", "[collections.main]\nrequire = ['institution']\n")
    (report,) = cli.json("index", "docs", "--lexical")
    assert report["skipped"] == {"tags_missing": 1}
    source = "[[source]]\npath = 'docs'\nattributes = { institution = 'north' }\n"
    cli.write("pincite.toml", f"{source}[collections.main]\nrequire = ['institution']\n")
    (report,) = cli.json("index")
    assert (report["new"], report["rewritten"], report["skipped"]) == (1, 1, {})
    assert "require     institution" in cli("status").stdout


def test_two_folders_of_one_name_and_an_empty_path_are_refused_as_what_they_are(cli: Cli) -> None:
    cli.write("a/docs/keys.md", "one\n")
    cli.write("b/docs/keys.md", "two\n")
    refused = cli("index", "a/docs", "b/docs", "--lexical", code=1).stderr
    assert "two of these paths are named 'docs'" in refused
    assert "one at a time, with --name" in refused
    assert "already indexed" not in refused
    assert "a path is empty" in cli("index", "", "--lexical", code=2).stderr
    cli("index", "a/docs", "--lexical")
    said = cli("index", "b/docs", "--lexical", code=1).stderr
    assert "a source named 'docs' is already indexed from" in said


def test_files_that_another_option_changes_are_not_said_to_have_changed(cli: Cli) -> None:
    for number in range(3):
        cli.write(f"docs/{number}.md", PAGE.format(number))
    cli("index", "docs", "--lexical")
    cli.write("docs/0.md", PAGE.format("no"))
    said = cli("index", "docs", "--mask-secrets").stderr
    again = "2 indexed again for another model, analysis or option"
    assert f"docs: 1 changed, 2 unchanged documents ({again}), 3 chunks written" in said


def test_the_suffixes_that_are_not_read_are_named(cli: Cli) -> None:
    cli.write("guide.md", "# Guide\n")
    for name in ("paper.tex", "a.srt", "b.SRT", "mail.eml", "odd.\u202e"):
        cli.write(name, "words\n")
    said = cli("index", ".", "--lexical").stderr
    (line,) = (one for one in said.split("\n") if "left out" in one)
    assert "5 unsupported (.srt, " in line
    assert all(f".{suffix}" in line for suffix in ("tex", "eml"))
    assert "\u202e" not in line
    for number in range(9):
        cli.write(f"x.x{number}", "words\n")
    assert ", ...) (details" in cli("index", ".").stderr
