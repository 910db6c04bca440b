"""Small plots as SVG text, for a page without network or scripts.

Colours are classes (`c0` to `c5`), so that the page defines them, also for print. All coordinates
are rounded: the same figures give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

_WIDTH, _HEIGHT = 400, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 14, 10, 54
_INSET = 14  # room for the first of the slanted names
_COLOURS: Final = 6
Points = Sequence[tuple[float, float]]


def lines(
    series: Mapping[str, Sequence[float]], labels: Sequence[str], title: str, top: float = 1.0
) -> str:
    """Return a line for each series over named places, with values of 0..top."""
    left = _LEFT + _INSET
    step = (_WIDTH - left - _RIGHT) / max(1, len(labels) - 1)
    parts = [_axis(top)]
    for place, label in enumerate(labels):
        x = left + place * step
        parts.append(
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 12}" class="t" text-anchor="end"'
            f' transform="rotate(-32 {x:.1f} {_HEIGHT - _BOTTOM + 12})">{escape(label)}</text>'
        )
    for number, (name, values) in enumerate(series.items()):
        places = [(left + at * step, _y(value, 0, top)) for at, value in enumerate(values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" class="l c{number % _COLOURS}"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="f c{number % _COLOURS}">'
            f"<title>{escape(f'{name}, {label}: {value:.3f}')}</title></circle>"
            for (x, y), label, value in zip(places, labels, values, strict=True)
        ]
    return _svg(parts, title) + legend(tuple(series))


def curves(
    series: Mapping[str, Points],
    marks: Mapping[str, tuple[float, float]],
    title: str,
    across: str,
    up: str,
) -> str:
    """Return a step curve for each series over 0..1 in both directions; a mark is a highlighted
    point."""
    parts = [_axis(1), _across(0, 1, across), _up(up)]
    for number, (name, points) in enumerate(series.items()):
        path = " ".join(f"{_x(x, 0, 1):.1f},{_y(y, 0, 1):.1f}" for x, y in points)
        parts.append(
            f'<polyline points="{path}" class="l c{number % _COLOURS}">'
            f"<title>{escape(name)}</title></polyline>"
        )
        if name in marks:
            x, y = marks[name]
            parts.append(
                f'<circle cx="{_x(x, 0, 1):.1f}" cy="{_y(y, 0, 1):.1f}" r="5"'
                f' class="m c{number % _COLOURS}"><title>'
                f"{escape(f'{name}: {up} {y:.2f}, {across} {x:.2f}')}</title></circle>"
            )
    return _svg(parts, title) + legend(tuple(series))


def histogram(
    series: Mapping[str, Sequence[float]],
    title: str,
    across: str,
    marks: Mapping[str, float] | None = None,
    bins: int = 24,
) -> str:
    """Return the shares of each series by value, side by side; marks are vertical lines with a
    name."""
    known = [value for values in series.values() for value in values]
    marked = list((marks or {}).values())
    if not known:
        return ""
    low, high = min((*known, *marked)), max((*known, *marked))
    if high <= low:
        high = low + 1.0
    counts = {name: _counts(values, low, high, bins) for name, values in series.items()}
    top = max((max(found, default=0.0) for found in counts.values()), default=1.0) or 1.0
    parts = [_axis(top, percent=True), _across(low, high, across)]
    wide = (_WIDTH - _LEFT - _RIGHT) / bins
    each = wide / max(1, len(counts)) * 0.92
    for number, (name, found) in enumerate(counts.items()):
        for place, value in enumerate(found):
            if value > 0:
                x = _LEFT + place * wide + number * each
                y = _y(value, 0, top)
                parts.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{each:.1f}"'
                    f' height="{_HEIGHT - _BOTTOM - y:.1f}" class="f c{number % _COLOURS}">'
                    f"<title>{escape(f'{name}: {value:.0%}')}</title></rect>"
                )
    for number, (name, value) in enumerate((marks or {}).items()):
        x = _x(value, low, high)
        side = ' text-anchor="end"' if x > _WIDTH / 2 else ""
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" class="k"/>'
            f'<text x="{x + (-4 if side else 4):.1f}" y="{_TOP + 10 + 14 * number}"'
            f' class="t"{side}>{escape(name)}</text>'
        )
    return _svg(parts, title) + legend(tuple(series))


def legend(names: Sequence[str]) -> str:
    """Return the names with their colours, "" for a single one."""
    if len(names) < 2:
        return ""
    items = "".join(
        f'<li><i class="c{number % _COLOURS}"></i>{escape(name)}</li>'
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{items}</ul>'


def _svg(parts: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, low: float, high: float) -> float:
    return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)


def _axis(high: float, *, percent: bool = False) -> str:
    """Return horizontal lines with their values on the left."""
    parts = []
    for number in range(5):
        value = high * number / 4
        y = _y(value, 0, high)
        text = f"{value:.0%}" if percent else f"{value:.2f}"
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="g"/>'
            f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" class="t" text-anchor="end">{text}</text>'
        )
    return "".join(parts)


def _across(low: float, high: float, name: str) -> str:
    """Return the values below, and their name."""
    parts = [
        f'<text x="{(_WIDTH + _LEFT - _RIGHT) / 2:.0f}" y="{_HEIGHT - 16}" class="t"'
        f' text-anchor="middle">{escape(name)}</text>'
    ]
    digits = 0 if high - low >= 20 else 2
    for number in range(5):
        value = low + (high - low) * number / 4
        parts.append(
            f'<text x="{_x(value, low, high):.1f}" y="{_HEIGHT - _BOTTOM + 15}" class="t"'
            f' text-anchor="middle">{value:.{digits}f}</text>'
        )
    return "".join(parts)


def _up(name: str) -> str:
    y = (_HEIGHT - _BOTTOM + _TOP) / 2
    return (
        f'<text x="11" y="{y:.0f}" class="t" text-anchor="middle"'
        f' transform="rotate(-90 11 {y:.0f})">{escape(name)}</text>'
    )


def _counts(values: Sequence[float], low: float, high: float, bins: int) -> list[float]:
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int((value - low) / (high - low) * bins))] += 1
    return [count / max(1, len(values)) for count in counts]
