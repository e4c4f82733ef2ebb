"""What the sections of a notebook are made of: tables of texts, pictures by matplotlib, and the
text of numbers. Texts of files reach a page through `html.escape` or as text of a picture alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import io
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _records
from ._errors import ResultError
from ._plots import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

JSON = Mapping[str, Any]

BLUE, ORANGE, GREEN, VIOLET, RED, TEAL, BROWN, GREY = COLORS = (
    "#0060a8",
    "#c2570c",
    "#0f7b5f",
    "#8e3b9e",
    "#b3261e",
    "#0e7490",
    "#7a5c1e",
    "#5f6b7a",
)
"""Colours of series, in this order; eight can be told apart."""
LINES: tuple[Any, ...] = (
    *("-", "--", ":", "-."),
    *((0, (4, 2)), (0, (1, 2)), (0, (8, 3)), (0, (6, 2, 1, 2))),
)
"""Strokes of series, for whoever cannot tell the colours apart."""
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "firstframe",
    "svg.fonttype": "none",
    # A dollar of a name is a dollar.
    "text.parse_math": False,
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dde3ea",
    "grid.linewidth": 0.8,
    "axes.edgecolor": "#7b8794",
    "axes.labelcolor": "#16202b",
    "text.color": "#16202b",
    "xtick.color": "#4a5866",
    "ytick.color": "#4a5866",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}

# Files


@dataclass
class Folder:
    """A folder of results, and what was read of it."""

    path: Path
    digests: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the files that were read, by name."""

    def text(self, name: str) -> str:
        """The text of a file; raises ResultError where it cannot be read."""
        path = self.path / name
        try:
            data = path.read_bytes()
            text = data.decode()
        except (OSError, UnicodeDecodeError) as problem:
            raise ResultError(f"{path}: expected a file that can be read, got {problem}") from None
        self.digests[name] = hashlib.sha256(data).hexdigest()
        return text

    def document(self, name: str, kind: str, schema: int = 1) -> dict[str, Any]:
        """A document of a kind, its texts made fit to be seen; raises ResultError."""
        found = _records.parsed(self.text(name), self.path / name, kind, schema)
        return {key: _shown(value) for key, value in found.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [_shown(part) for part in value]
    if isinstance(value, dict):
        return {key: _shown(part) for key, part in value.items()}
    return value


_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with what a reader would not see, or what turns the rest, as an escape."""
    return _HIDDEN.sub(lambda found: f"\\u{{{ord(found[0]):X}}}", text)


# Parts of a section


@dataclass(frozen=True)
class TextTable:
    """A table of texts; from column `numbers` on they are numbers and stand to the right."""

    caption: str
    head: Sequence[object]
    rows: Sequence[Sequence[object]]
    numbers: int = 1

    def __repr__(self) -> str:
        return "\n".join("\t".join(map(str, row)) for row in [self.head, *self.rows])

    def _repr_html_(self) -> str:
        body = "\n".join(self._row(cells, "td") for cells in self.rows)
        return (
            f'<div style="overflow-x:auto"><table><caption>{html.escape(self.caption)}'
            f"</caption>\n<thead>{self._row(self.head, 'th')}</thead>\n"
            f"<tbody>{body}</tbody></table></div>"
        )

    def _row(self, cells: Sequence[object], name: str) -> str:
        # Only a table of texts alone may break its cells.
        space = "nowrap" if self.numbers < len(self.head) else "normal"
        text = ""
        for place, cell in enumerate(cells):
            side = "right" if place >= self.numbers else "left"
            style = f"text-align:{side}" + (f";white-space:{space}" if name == "td" else "")
            text += f'<{name} style="{style}">{html.escape(str(cell))}</{name}>'
        return f"<tr>{text}</tr>"


def no_data(reason: str) -> TextTable:
    """What stands in the place of a table that has nothing to show."""
    return TextTable(f"No data: {reason}.", [], [])


@dataclass(frozen=True, repr=False)
class TitledPicture(Picture):
    """A picture that matplotlib has drawn; a notebook shows it."""

    title: str

    def __repr__(self) -> str:
        return f"figure: {self.title}"


@dataclass(frozen=True)
class Drawing:
    """A picture that is drawn when it is shown, in the style of all pictures of a notebook."""

    title: str
    draw: Callable[[], Figure]

    def picture(self, number: int) -> TitledPicture:
        """The picture as SVG: the same bytes each time, and of each number other names in it."""
        title = visible(self.title)
        with _style():
            figure = self.draw()
            wrapped = textwrap.fill(title, 56)
            figure.suptitle(wrapped, x=0.005, ha="left", fontsize=11, fontweight="bold")
            stream = io.StringIO()
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
        svg = stream.getvalue()
        svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>p{number}-", svg)
        label = html.escape(title, quote=True)
        svg = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
        return TitledPicture(svg, title)


Part = TextTable | Drawing | str
"""What a section shows: a table, a picture, or a line of text."""


# Drawing


@contextlib.contextmanager
def _style() -> Iterator[None]:
    """The style of notebooks, whatever the user's own is; afterwards that holds again."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "firstframe: expected matplotlib, which draws the pictures, got none: "
            "pip install matplotlib",
            name="matplotlib",
        ) from None
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def canvas(height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """A figure as wide as a page of text and `height` inches high, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, height + 0.2), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def arms(value: float, interval: Sequence[float] | None) -> tuple[float, float]:
    """Lengths from a value down and up to the ends of its interval; of a value beyond it, none."""
    ends = interval or [value]
    return max(0.0, value - min(ends)), max(0.0, max(ends) - value)


def whiskers(
    axes: Axes,
    row: float,
    value: float,
    interval: Sequence[float] | None,
    scale: float = 1,
    color: str = BLUE,
    **options: Any,
) -> None:
    """A dot with its 95 % interval, on a row of a chart."""
    below, above = arms(value, interval)
    axes.errorbar(
        [value * scale],
        [row],
        xerr=[[below * scale], [above * scale]],
        fmt="o",
        markersize=4.5,
        capsize=3,
        color=color,
        **options,
    )


def rows_of(axes: Axes, names: Sequence[str]) -> None:
    """One row for each name, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(False, axis="y")


def formatted(text: Callable[[float], str]) -> Any:
    """The texts of an axis."""
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _: text(value))


# Text of numbers

Unit = Literal["ratio", "ms", "number"]

_SIGNS: Mapping[str, tuple[float, str, int]] = {
    "ratio": (100, " %", 3),
    "ms": (1, " ms", 2),
    "number": (1, "", 2),
}
"""Scale, sign and most digits behind the point, by unit."""


def places(value: float, half: float | None, most: int) -> int:
    """Digits behind the point: two of half an interval, or three of the value without one."""
    size, digits = (half, 2) if half else (abs(value), 3)
    return max(0, min(most, digits - 1 - math.floor(math.log10(size)))) if size else 0


def number(value: float, decimals: int = 0) -> str:
    """`12,345.6`."""
    return f"{value:,.{decimals}f}"


def estimate(
    value: float | None, interval: Sequence[float] | None, unit: str, least: bool = False
) -> str:
    """`412 ±7 ms`: a value and half of its 95 % interval, rounded by it.

    `least` says that the value is a lower bound.
    """
    if value is None:
        return "no data"
    scale, sign, most = _SIGNS[unit]
    half = abs(interval[1] - interval[0]) / 2 * scale if interval else None
    digits = places(value * scale, half, most)
    spread = "" if half is None else f" ±{number(half, digits if half else 0)}"
    return ("≥ " if least else "") + number(value * scale, digits) + spread + sign


def of(row: JSON) -> str:
    """The estimate of a metric or a budget of a result."""
    return estimate(row["value"], row["interval"], row["unit"], row["isLowerBound"])


def share(part: float, whole: float) -> str:
    """`12.34 %` of a whole; a dash where there is none."""
    return f"{100 * part / whole:.2f} %" if whole else "–"


def words(name: str) -> str:
    """`stale_hit` as words."""
    return name.replace("_", " ")


def size(count: float) -> str:
    """Bytes with a decimal unit, `1.2 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
