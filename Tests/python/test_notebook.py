"""Notebooks: what a folder says by section, of small results made by hand and of real ones."""

import html
import json
import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import SCENARIO

import firstframe
from firstframe import ResultError
from firstframe._notebook_capacity import curve
from firstframe._notebook_parts import (
    Drawing,
    TextTable,
    TitledPicture,
    arms,
    estimate,
    places,
    size,
    visible,
)
from firstframe._notebook_sweep import Points, effects
from firstframe._notebook_times import _Bucket, survival

HOSTILE = "<script>alert(1)</script>&\x1b[31m\u202e$x^$"
SEEN = r"<script>alert(1)</script>&\u{1B}[31m\u{202E}$x^$"
CLOCKS = ("ttff_ms", "ttff_cold_ms", "ttff_swipe_ms", "ttff_play_ms")


def metric(name: str, value: float | None, unit: str = "ms", half: float = 1) -> dict[str, Any]:
    interval = None if value is None else [value - half, value + half]
    return {
        "metric": name,
        "value": value,
        "interval": interval,
        "unit": unit,
        "isLowerBound": False,
        "samples": 1000,
    }


def tier(name: str, outcome: str, requests: int) -> dict[str, Any]:
    count = {"requests": requests, "bytes": 1000 * requests}
    return {"tier": "edge", "class": name, "outcome": outcome, **count}


def result(name: str = "net") -> dict[str, Any]:
    """A `result.json` with what notebooks read, where `name` stands for every name of others."""
    late = {"startedWithEdgeMiss": 1, "notStarted": 2, "notStartedWithEdgeMiss": 0}
    parts = [
        {"part": "first_decode", "nanoseconds": 3_000, "meanMilliseconds": 30.0},
        {"part": "link_share", "nanoseconds": 0, "meanMilliseconds": 0.0},
        {"part": "transfer", "nanoseconds": 9_000, "meanMilliseconds": 90.0},
    ]
    band = {"views": 100, "meanMilliseconds": 120.0, "parts": parts}
    budget = {
        **metric("ttff_ms.p95", 300, half=10),
        "limit": f"< 400 ms {name}",
        "level": "hard",
        "verdict": "pass",
        "reason": name,
        "margin": 0.25,
    }
    return {
        "schema": 1,
        "kind": "firstframe.result",
        "scenario": {"name": name, "digest": "0123abcd", "description": name, "short": True},
        "seed": 7,
        "fingerprint": "ff",
        "verdict": "pass",
        "replications": {"run": 4, "cap": 8, "looks": [4, 8], "partial": False},
        "sessions": 1234,
        "views": 23456,
        "budgets": [budget],
        "metrics": [
            *(
                metric(f"{clock}.{stat}", 200)
                for clock in CLOCKS
                for stat in ("p50", "p75", "p90", "p95", "p99", "mean")
            ),
            metric("ttff_ms{network=net}.p95", 250),
            metric("rebuffer_ratio{network=net}.ratio", 0.01, "ratio", half=0.0015),
            metric("hit_ratio{tier=edge,class=media,by=requests}.ratio", 0.9, "ratio", half=0.01),
            metric("origin_offload.ratio", 0.8, "ratio", half=0.01),
            metric("hit_ratio{tier=shield,by=requests}.ratio", None, "ratio"),
        ],
        "histograms": [
            {
                "metric": clock,
                "network": "net",
                "fixedBuckets": [[0, 0, 5, 0], [0, 100, 60, 1], [100, None, 30, 4]],
            }
            for clock in CLOCKS
        ],
        "startupBreakdown": {"p50": {**band, "meanMilliseconds": 0}, "p95": band, "waited": band},
        "lateStarts": {
            "limitMilliseconds": 1000.0,
            "byPart": [
                {"part": "transfer", "started": 5, **late},
                {"part": name, "started": 9, **late},
            ],
        },
        "tiers": [
            tier(name, "hit", 90),
            tier(name, "miss", 10),
            tier("media", "hit", 9),
            tier("media", name, 1),
        ],
    }


def sweep(name: str = "one") -> dict[str, Any]:
    """A `sweep.json` of two points and one key."""

    def value(name: str, value: float) -> dict[str, Any]:
        ends = {"lower": value - 0.01, "upper": value + 0.01, "isLowerBound": False}
        return {"metric": name, "value": value, **ends}

    def effect(value: float) -> dict[str, float]:
        return {"value": value, "lower": value - 0.1, "upper": value + 0.1}

    return {
        "schema": 1,
        "kind": "sweep",
        "scenario": name,
        "seed": 7,
        "replications": 2,
        "factors": ["policy.pool.size"],
        "points": [
            {
                "values": [f'"{name}"'],
                "metrics": [value("ttff_ms.mean", 300), value("wasted_ratio.ratio", 0.5)],
                "front": "front",
            },
            {
                "values": [None],
                "metrics": [value("ttff_ms.mean", 400), value("wasted_ratio.ratio", 0.4)],
                "front": "dominated by 0",
            },
        ],
        "effects": [
            {
                "metric": "wasted_ratio.ratio",
                "factors": [
                    {
                        "key": "policy.pool.size",
                        "levels": [{"value": f'"{name}"', "effect": effect(0.25)}],
                        "first": effect(0.5),
                    }
                ],
            },
            {"metric": name, "factors": "one point"},
        ],
        "front": ["ttff_ms.mean", "wasted_ratio.ratio"],
        "frontPoints": [0],
    }


def plan(name: str = "ranker") -> dict[str, Any]:
    """A `capacity.json`."""
    rate = {"gbps": 1.25, "requestsPerSecond": 12345.6}
    level = {
        "factor": 1,
        "audience": 500_000,
        "peakViewsPerSecond": 12.34,
        "edge": rate,
        "behindEdges": rate,
        "origin": rate,
        "relay": None,
        "pools": [{"name": name, "concurrency": 3}],
        "costs": [{"name": name, "quantity": "1 TB", "amount": 12.5}],
        "monthlyCost": 12.5,
    }
    found = {"name": name, "multiple": 1.5, "interval": [1.4, 1.6], "isSized": True}
    return {
        "schema": 2,
        "kind": "capacity",
        "levels": [level, level],
        "observed": None,
        "breaks": [found, {**found, "multiple": None}],
        "curve": [
            {"bytes": 1e9, "missRatio": 0.5, "byteMissRatio": 0.4},
            {"bytes": 1e12, "missRatio": 0.1, "byteMissRatio": 0.05},
        ],
        "edgeBytes": 1e11,
        "targetHitRatio": 0.95,
        "prices": {"currency": name},
        "assumptions": [{"key": name, "value": name, "source": name}],
    }


def write(folder: Path, file: str, document: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(document))
    (folder / "hist").mkdir(exist_ok=True)
    for clock in CLOCKS:
        (folder / "hist" / f"{clock}.net.csv").write_text(
            "lower_ms,upper_ms,started,censored\n0,0,5,0\n12,20,50,1\n100,200,30,4\n"
        )
    return folder


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Titles of the pictures, which are not drawn: matplotlib is no part of the tools."""
    titles: list[str] = []

    def picture(drawing: Drawing, number: int) -> TitledPicture:
        titles.append(drawing.title)
        assert number <= len(titles)
        return TitledPicture("<svg></svg>", drawing.title)

    monkeypatch.setattr(Drawing, "picture", picture)
    return titles


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The HTML of the tables and the SVG of the pictures that are shown."""
    found: list[str] = []

    def show(part: TextTable | TitledPicture) -> None:
        found.append(part._repr_html_() if isinstance(part, TextTable) else part._repr_svg_())

    monkeypatch.setattr("firstframe._notebook._display", show)
    return found


# Sections


def test_a_run_shows_its_sections(
    tmp_path: Path, drawn: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = firstframe.notebook(write(tmp_path / "run", "result.json", result()))
    assert isinstance(page, firstframe.RunPage)
    page.show()
    assert drawn == [
        "Margin of each budget to its limit, with 95 % intervals",
        "Views that still wait for their first frame, by clock",
        "How long until the first frame",
        "Views around the 95th percentile: mean of 100 by part",
        "All started views that waited: mean of 100 by part",
        "Late starts by the part that took longest",
        "Hit ratios by tier and class, with 95 % intervals",
        "Outcomes at the edge by class, pooled over the replications",
        "Cohorts, with 95 % intervals over the replications",
    ]
    text = capsys.readouterr().out
    for line in (
        "replications\t4 of at most 8; looks after 4, 8",
        "ttff_ms.p95\t< 400 ms net\thard\tpass\t300 ±10 ms\t+25.0 %\t1,000",
        "all views\t1,000\t200.0 ±1.0 ms\t200.0 ±1.0 ms",
        "100 ms and later\t30\t30.00 %",
        "never: left before a first frame\t5\t5.00 %",
        "Views around the median: 0 ms, the first frame was on the display when the clock started.",
        "first frame\t120.0\t120.0",
        "edge: media, by requests\t90.0 ±1.0 %\t1,000",
        "net\t100\t90.00 %\t90.00 %\t100 kB\t90\t10\t0",
        "media\t10\t90.0 ±1.0 %\t90.00 %\t10 kB\t9\t0\t1",
        "all\t110\t90.00 %\t90.00 %\t110 kB\t99\t10\t1",
        "network net\t1,000\t250.0 ±1.0 ms\t1.00 ±0.15 %",
    ):
        assert line in text, line
    assert "link share" not in text
    files = text[text.index("file\tSHA-256") :]
    assert re.findall(r"^(\S+)\t[0-9a-f]{16}$", files, re.MULTILINE) == [
        *sorted(f"hist/{clock}.net.csv" for clock in CLOCKS),
        "result.json",
    ]


def test_what_it_is_about_leaves_out_the_rest(
    tmp_path: Path, drawn: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "run", "result.json", result())
    made = {"schema": 1, "kind": "firstframe.provenance", "build": "release", "toolchain": "6.3"}
    (folder / "provenance.json").write_text(json.dumps(made))
    firstframe.notebook(folder, "caches").show()
    assert [title.split(" ")[0] for title in drawn] == ["Margin", "Hit", "Outcomes"]
    text = capsys.readouterr().out
    assert "Made by a release build with 6.3." in text and "provenance.json" not in text
    assert "hist/" not in text
    firstframe.notebook(folder, "ttff").show()
    assert "Outcomes" not in [title.split(" ")[0] for title in drawn[3:]]


def test_a_sweep_shows_its_sections(
    tmp_path: Path, drawn: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = firstframe.notebook(write(tmp_path / "sweep", "sweep.json", sweep()))
    assert isinstance(page, firstframe.SweepPage)
    page.show()
    assert drawn == [
        "wasted_ratio against ttff_ms.mean, with 95 % intervals",
        "Metrics by pool.size, 95 % intervals",
        "Effects on wasted_ratio, 95 % intervals",
    ]
    text = capsys.readouterr().out
    for line in (
        "policy.pool.size\tone, as it is",
        "0\tone\tsurely on the front\t300.00 ±0.01 ms\t50.0 ±1.0 %",
        "1\tas it is\tsurely dominated by point 0\t",
        "wasted_ratio\t+25 ±10 points\t+0.50 ±0.10",
        "one: one point",
    ):
        assert line in text, line


def test_points_that_are_no_grid_have_no_curves(tmp_path: Path, drawn: list[str]) -> None:
    document = sweep()
    document["points"][1]["values"] = ['"one"']
    page = firstframe.notebook(write(tmp_path / "sweep", "sweep.json", document))
    assert isinstance(page, firstframe.SweepPage)
    page.lines()
    assert not drawn
    document["effects"] = [{"metric": "a_ratio.ratio", "factors": []}]
    assert [type(part) for part in effects(Points(document))] == [TextTable]


def test_a_capacity_plan_shows_its_sections(
    tmp_path: Path, drawn: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = firstframe.notebook(write(tmp_path / "plan", "capacity.json", plan()))
    assert isinstance(page, firstframe.CapacityPage)
    page.show()
    page.curve("left")
    assert drawn == [
        "How far the audience may grow",
        "Misses of an edge, by its bytes",
        "Misses of an edge, by its bytes, of provider left",
    ]
    text = capsys.readouterr().out
    for line in (
        "users a day\t500,000\t500,000",
        "requests/s origin\t12,346\t12,346",
        "ranker at a time\t3\t3",
        "sum\t\t12.5",
        "ranker\tranker\tranker",
    ):
        assert line in text, line


def test_a_capacity_plan_shows_what_was_taken(tmp_path: Path, shown: list[str]) -> None:
    row = {"quantity": "views", "observed": 12.5, "n": 3000, "of": "days", "predicted": None}
    taken = {
        "rows": [{**row, "difference": None}],
        "limits": [{"name": "edge", "what": "Gbps", "limit": 10, "observed": 11}],
        "notTold": [{"quantities": ["a", "b"], "reason": "no logs"}],
    }
    folder = write(tmp_path / "plan", "capacity.json", {**plan(), "observed": taken})
    page = firstframe.notebook(folder)
    assert isinstance(page, firstframe.CapacityPage)
    page.observed()
    assert [re.findall(r"<td[^>]*>([^<]*)", table) for table in shown] == [
        ["views", "12.5", "3,000 days", "–", "–"],
        ["edge", "Gbps", "10", "11"],
        ["a, b", "no logs"],
    ]


# Texts of others


@pytest.mark.parametrize(
    ("file", "document"),
    [
        ("result.json", result(HOSTILE)),
        ("sweep.json", sweep(HOSTILE)),
        ("capacity.json", plan(HOSTILE)),
    ],
)
def test_texts_of_others_are_shown_as_they_are(
    file: str,
    document: dict[str, Any],
    tmp_path: Path,
    drawn: list[str],
    shown: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    firstframe.notebook(write(tmp_path / "folder", file, document)).show()
    tables = [text for text in shown if text != "<svg></svg>"]
    text = "".join(tables)
    assert html.escape(SEEN) in text
    assert "<script" not in text
    for told in (text, capsys.readouterr().out, *drawn):
        assert "\x1b" not in told and "\u202e" not in told
    cells = re.findall(r"<t[dh] style=\"[a-z:;-]*\">([^<]*)</t[dh]>", text)
    assert len(cells) == text.count("<td") + text.count("<th ")


def test_a_title_of_others_is_shown_as_it_is() -> None:
    [part] = curve(plan(), HOSTILE)
    assert isinstance(part, Drawing) and part.title.endswith(f"of provider {SEEN}")
    assert visible("a\tb\nc é👩‍💻\r\ufeff\U000e0041") == (
        "a\tb\nc é👩‍💻" + r"\u{D}\u{FEFF}\u{E0041}"
    )


@pytest.mark.parametrize("name", ["net", HOSTILE])
@pytest.mark.parametrize(
    ("file", "make", "count"), [("result.json", result, 9), ("sweep.json", sweep, 3)]
)
def test_pictures_are_the_same_each_time_and_only_text_of_others(
    file: str, make: Any, count: int, name: str, tmp_path: Path, shown: list[str]
) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    folder = write(tmp_path / "folder", file, make(name))
    own = {"font.size": 31.0, "text.parse_math": True, "svg.fonttype": "path"}
    with matplotlib.rc_context(own), warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            firstframe.notebook(folder).show()
        assert {key: matplotlib.rcParams[key] for key in own} == own
    pictures = [text for text in shown if text.startswith("<svg")]
    assert len(pictures) == 2 * count and pictures[:count] == pictures[count:]
    names: list[str] = []
    for picture in pictures[:count]:
        root = ElementTree.fromstring(picture)
        kinds = {str(element.tag).rsplit("}", 1)[-1] for element in root.iter()}
        assert "script" not in kinds
        names += {element.attrib["id"] for element in root.iter() if "id" in element.attrib}
    # No two pictures of a page have a name in common.
    assert len(names) == len(set(names))
    if name == HOSTILE:
        told = " ".join(
            "".join(element.itertext())
            for picture in pictures
            for element in ElementTree.fromstring(picture).iter()
        )
        assert "$x^$" in told and SEEN in told


def test_without_matplotlib_tables_are_shown_and_its_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = firstframe.notebook(write(tmp_path / "run", "result.json", result()))
    assert isinstance(page, firstframe.RunPage)
    page.asked()
    page.classes()
    assert len(shown) == 2
    with pytest.raises(ModuleNotFoundError, match="pip install matplotlib"):
        page.hits()


# Folders


def test_what_is_no_folder_of_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r"none: expected result\.json, sweep\.json or capac"):
        firstframe.notebook(tmp_path / "none")
    folder = write(tmp_path / "plan", "capacity.json", {**plan(), "schema": 1})
    with pytest.raises(ResultError, match=r"capacity\.json: schema: expected 2, got 1"):
        firstframe.notebook(folder)
    (folder / "capacity.json").write_text('{"schema": 1, "kind": "load-knee"}')
    with pytest.raises(ResultError, match=r"capacity\.json: kind: expected capacity"):
        firstframe.notebook(folder)
    with pytest.raises(ValueError, match="expected the folder of a run, got ttff of "):
        firstframe.notebook(folder, "ttff")
    other: Any = "times"
    with pytest.raises(ValueError, match="about: expected all, ttff or caches, got times"):
        firstframe.notebook(folder, other)
    folder = write(tmp_path / "run", "result.json", result())
    (folder / "hist" / "ttff_ms.net.csv").unlink()
    page = firstframe.notebook(folder)
    assert isinstance(page, firstframe.RunPage)
    with pytest.raises(ResultError, match=r"ttff_ms\.net\.csv: expected a file that can be read"):
        page.times()


def test_a_notebook_of_another_version_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "run", "result.json", result())
    firstframe.notebook(folder, version=firstframe.__version__)
    assert capsys.readouterr().out == ""
    firstframe.notebook(folder, version="0.0.9")
    [line] = capsys.readouterr().out.splitlines()
    assert "0.0.9" in line and firstframe.__version__ in line


# Numbers


@pytest.mark.parametrize(
    ("value", "interval", "unit", "least", "text"),
    [
        (None, None, "ms", False, "no data"),
        (412.4, [405.4, 419.4], "ms", False, "412.4 ±7.0 ms"),
        (1234.5, [1210, 1259], "ms", True, "≥ 1,234 ±24 ms"),
        (0.9, [0.89, 0.91], "ratio", False, "90.0 ±1.0 %"),
        (0.5, None, "ratio", False, "50.0 %"),
        (0, [0, 0], "number", False, "0 ±0"),
        (-0.123, None, "number", False, "-0.12"),
    ],
)
def test_an_estimate_is_rounded_by_its_interval(
    value: float | None, interval: list[float] | None, unit: str, least: bool, text: str
) -> None:
    assert estimate(value, interval, unit, least) == text


def test_digits_and_sizes() -> None:
    assert [places(0, None, 3), places(1e-9, None, 3), places(12345, 0, 3)] == [0, 3, 0]
    assert [size(0), size(999.4), size(999.5), size(2.5e9)] == ["0 B", "999 B", "1 kB", "2.5 GB"]
    assert size(1e18) == "1e+06 TB"
    # A percentile of all times may lie beyond the interval over the replications.
    assert [arms(5, None), arms(5, [4, 8]), arms(5, [6, 7])] == [(0, 0), (1, 3), (0, 2)]


def test_views_that_were_left_are_censored() -> None:
    # Ten views: 2 before the axis begins, 4 start and 1 leaves, then 1 starts and 2 leave.
    buckets = [_Bucket(0, 5, 2, 0), _Bucket(15, 20, 4, 1), _Bucket(30, 40, 1, 2)]
    points = survival(buckets)
    assert [time for time, _ in points] == [10, 20, 40]
    assert [value for _, value in points] == pytest.approx([0.8, 0.4, 0.4 * 2 / 3])


# What the program writes


def written(program: str, folder: Path) -> list[Path]:
    """The notebooks that the program writes of a run, of a sweep and of a capacity plan."""
    (folder / "tiny.yaml").write_text(SCENARIO)

    def call(*arguments: str) -> None:
        done = subprocess.run(
            [program, *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 10, 12, 13), done.stderr

    call("run", "tiny.yaml", "--short", "--quiet")
    front = ["--front", "ttff_ms.mean", "--front", "wasted_ratio"]
    varied = ["--vary", "policy.pool.size=[1, 3]", *front]
    call("sweep", "tiny.yaml", "--short", "--replications", "2", "--quiet", *varied)
    call("capacity", "tiny.yaml", "--short", "--replications", "2", "--audience", "500000")
    found = []
    for file in ("result.json", "sweep.json"):
        [path] = (folder / "results").glob(f"*/{file}")
        call("report", str(path.parent), "--notebook")
        found.append(path.parent / "notebook.ipynb")
    [path] = (folder / "results").glob("*/capacity.ipynb")
    return [*found, path]


def script(cells: list[str]) -> str:
    """A file in this folder with the code of some cells."""
    Path("cells.py").write_text("\n".join(cells))
    return "cells.py"


def test_the_cells_that_the_program_writes_are_lines_of_this_package(
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drawn: list[str],
    shown: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    for path in written(program, tmp_path):
        notebook = json.loads(path.read_text())
        code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
        assert all(len(cell.splitlines()) <= 3 for cell in code)
        monkeypatch.chdir(path.parent)
        before = len(shown)
        page = runpy.run_path(script(code))["page"]
        assert len(shown) - before >= len(code) - 3
        called = re.findall(r"page\.(\w+)\(", "\n".join(code))
        assert called == [name for name in page.sections if name != "observed"]
        assert "expected the package of version" not in capsys.readouterr().out
        with monkeypatch.context() as context, pytest.raises(ImportError, match="pip install"):
            context.setitem(sys.modules, "firstframe", None)
            runpy.run_path(script(code[:2]))
