/// The Python of notebooks: standard library and matplotlib. Later cells use the names of earlier
/// ones; texts of the files reach a page only through `html.escape` or matplotlib.
enum NotebookCode {
  /// The cell before all others.
  static let tools = #"""
    import csv
    import hashlib
    import html
    import io
    import json
    import math
    import re
    import textwrap
    from itertools import groupby
    from pathlib import Path

    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    folder = Path(run_dir)
    files = {}
    pictures = []
    COLORS = [
        "#0060a8",
        "#c2570c",
        "#0f7b5f",
        "#8e3b9e",
        "#b3261e",
        "#0e7490",
        "#7a5c1e",
        "#5f6b7a",
    ]
    LINES = ["-", "--", ":", "-.", (0, (4, 2)), (0, (1, 2)), (0, (8, 3)), (0, (6, 2, 1, 2))]
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "firstframe",
            "svg.fonttype": "none",
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
    )


    def read(name):
        """The text of a file of the folder; the last cell shows its digest."""
        data = (folder / name).read_bytes()
        files[name] = hashlib.sha256(data).hexdigest()
        return data.decode()


    class Table:
        """A table of texts; from column `numbers` on they are numbers and stand to the right."""

        def __init__(self, caption, head, rows, numbers=1):
            self.caption, self.head, self.rows, self.numbers = caption, head, rows, numbers

        def __repr__(self):
            return "\n".join("\t".join(map(str, row)) for row in [self.head, *self.rows])

        def _repr_html_(self):
            # Only a table of texts alone may break its cells.
            space = "nowrap" if self.numbers < len(self.head) else "normal"

            def row(cells, name):
                text = ""
                for place, cell in enumerate(cells):
                    side = "right" if place >= self.numbers else "left"
                    style = f"text-align:{side}" + (
                        f";white-space:{space}" if name == "td" else ""
                    )
                    text += f'<{name} style="{style}">{html.escape(str(cell))}</{name}>'
                return f"<tr>{text}</tr>"

            body = "\n".join(row(cells, "td") for cells in self.rows)
            return (
                f'<div style="overflow-x:auto"><table><caption>{html.escape(self.caption)}'
                f"</caption>\n<thead>{row(self.head, 'th')}</thead>\n"
                f"<tbody>{body}</tbody></table></div>"
            )


    class Picture:
        """A figure as SVG with the same bytes each time and names that no other figure uses."""

        def __init__(self, figure, title):
            figure.suptitle(
                textwrap.fill(title, 56), x=0.005, ha="left", fontsize=11, fontweight="bold"
            )
            stream = io.StringIO()
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
            svg = stream.getvalue()
            svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.S)
            pictures.append(title)
            prefix = f"p{len(pictures)}-"
            svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}", svg)
            label = html.escape(title, quote=True)
            self.title, self.svg = title, svg.replace(
                "<svg", f'<svg role="img" aria-label="{label}"', 1
            )

        def __repr__(self):
            return f"figure: {self.title}"

        def _repr_svg_(self):
            return self.svg


    def canvas(height, rows=1, columns=1, **options):
        """A figure as wide as a page of text, `height` inches high, and its axes."""
        figure = Figure(figsize=(5.2, height + 0.2), layout="constrained")
        return figure, figure.subplots(rows, columns, **options)


    def places(value, half, most):
        size, digits = (half, 2) if half else (abs(value), 3)
        return max(0, min(most, digits - 1 - math.floor(math.log10(size)))) if size else 0


    def number(value, decimals=0):
        return f"{value:,.{decimals}f}"


    def estimate(value, interval, unit, least=False):
        """`412 ±7 ms`: a value and half of its 95 % interval, rounded by it."""
        if value is None:
            return "no data"
        signs = {"ratio": (100, " %", 3), "ms": (1, " ms", 2), "number": (1, "", 2)}
        scale, sign, most = signs[unit]
        half = abs(interval[1] - interval[0]) / 2 * scale if interval else None
        digits = places(value * scale, half, most)
        spread = "" if half is None else f" ±{number(half, digits if half else 0)}"
        return ("≥ " if least else "") + number(value * scale, digits) + spread + sign


    def of(row):
        """The estimate of a metric or a budget of the result."""
        return estimate(row["value"], row["interval"], row["unit"], row["isLowerBound"])


    def share(part, whole):
        return f"{100 * part / whole:.2f} %" if whole else "–"


    def words(name):
        return name.replace("_", " ")


    def size(count):
        for unit in ["B", "kB", "MB", "GB", "TB"]:
            if count < 999.5 or unit == "TB":
                return f"{count:.3g} {unit}"
            count /= 1000


    def whiskers(axes, row, value, interval, scale=1, color=COLORS[0], **options):
        """A dot with its 95 % interval, on a row of a chart."""
        ends = interval or [value, value]
        axes.errorbar(
            [value * scale],
            [row],
            xerr=[[(value - min(ends)) * scale], [(max(ends) - value) * scale]],
            fmt="o",
            markersize=4.5,
            capsize=3,
            color=color,
            **options,
        )


    def rows_of(axes, names):
        """One row for each name, the first on top."""
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.grid(False, axis="y")


    def no_data(reason):
        return Table(f"No data: {reason}.", [], [])
    """#

  /// What was read, with digests.
  static let files = #"""
    if (folder / "provenance.json").exists():
        made = json.loads(read("provenance.json"))
        print(f"Made by a {made['build']} build with {made['toolchain']}.")
        # It holds wall-clock times, so its digest says nothing.
        del files["provenance.json"]
    Table(
        "Files of the folder that this notebook renders",
        ["file", "SHA-256, first 16 digits"],
        [[name, digest[:16]] for name, digest in sorted(files.items())],
        numbers=2,
    )
    """#
}
