"""Pieces of the page: tables, bars, tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pincite.evals.analysis.summary import Estimate

_TEXT, _LONG = 20, 40  # characters


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table that scrolls separately on a narrow screen. Cells are escaped; those with much
    text wrap."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(_cell(str(cell)) for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    kind = ' class="long"' if len(text) > _LONG else ' class="s"' if len(text) > _TEXT else ""
    return f"<td{kind}>{escape(text)}</td>"


def bars(rows: Iterable[tuple[str, float, str]]) -> str:
    """Return horizontal bars with their labels; each row is name, value of 0..1, text."""
    items = "".join(
        f'<tr><th>{escape(name)}</th><td class="bar"><b class="c0"'
        f' style="width:{100 * min(1.0, max(0.0, value)):.1f}%"></b></td>'
        f"<td>{escape(text)}</td></tr>"
        for name, value, text in rows
    )
    return f'<table class="bars">{items}</table>'


def estimates(rows: Iterable[tuple[str, Estimate]]) -> str:
    """Return means with their intervals, on a scale of 0..1."""
    items = "".join(
        f'<tr><th>{escape(name)}</th><td class="bar"><b class="c0"'
        f' style="width:{100 * one.mean:.1f}%"></b><i style="left:{100 * one.low:.1f}%;'
        f'width:{100 * (one.high - one.low):.1f}%"></i></td>'
        f"<td>{one.mean:.3f} <small>{one.low:.3f} to {one.high:.3f}</small></td></tr>"
        for name, one in rows
    )
    return f'<table class="bars">{items}</table>'


def stacked(rows: Sequence[tuple[str, float]], unit: str) -> str:
    """Return one bar of all parts, and a list of the parts. Parts below 0.5 % are left out."""
    total = sum(value for _, value in rows) or 1.0
    shown = [(name, value) for name, value in rows if value / total >= 0.005]
    cut = "".join(
        f'<b class="c{number % 6}" style="width:{100 * value / total:.2f}%"'
        f' title="{escape(name)}: {value:.2f} {unit}"></b>'
        for number, (name, value) in enumerate(shown)
    )
    names = "".join(
        f'<li><i class="c{number % 6}"></i>{escape(name)} {value:.2f} {unit}</li>'
        for number, (name, value) in enumerate(shown)
    )
    return f'<div class="stack">{cut}</div><ul class="legend">{names}</ul>'


def tiles(items: Iterable[tuple[str, str, str]]) -> str:
    """Return the most important figures: name, value, remark."""
    cells = "".join(
        f"<div><span>{escape(name)}</span><strong>{escape(value)}</strong>"
        f"<small>{escape(remark)}</small></div>"
        for name, value, remark in items
    )
    return f'<div class="tiles">{cells}</div>'


def figure(caption: str, body: str, remark: str = "") -> str:
    """Return a plot with a caption, "" without a plot."""
    if not body:
        return ""
    note = f"<small>{escape(remark)}</small>" if remark else ""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{body}{note}</figure>"
