"""Notebooks: what a folder of results says, section by section."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import version as _installed
from pathlib import Path
from typing import ClassVar, Literal

from . import (
    _notebook_caches,
    _notebook_capacity,
    _notebook_run,
    _notebook_startup,
    _notebook_sweep,
    _notebook_times,
)
from ._errors import ResultError
from ._notebook_parts import Drawing, Folder, Part, TextTable, TitledPicture, visible
from ._results import RUN, SWEEP

CAPACITY = "capacity.json"
_PROVENANCE = "provenance.json"

Topic = Literal["all", "ttff", "caches"]
"""What a notebook of a run is about: all, startup, or caches."""


class Page:
    """The sections of a folder; each shows its pictures and tables where it is called."""

    sections: ClassVar[tuple[str, ...]]
    """The sections that there are, in their order."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._pictures = 0

    @property
    def folder(self) -> Path:
        """The folder that it shows."""
        return self._folder.path

    def show(self) -> None:
        """Every section, one after the other."""
        for name in self.sections:
            getattr(self, name)()

    def files(self) -> None:
        """The files that the sections before have read, with digests, and who made them."""
        made: list[Part] = []
        if (self.folder / _PROVENANCE).exists():
            found = self._folder.document(_PROVENANCE, "firstframe.provenance")
            made.append(f"Made by a {found['build']} build with {found['toolchain']}.")
            # It holds wall-clock times, so its digest says nothing.
            del self._folder.digests[_PROVENANCE]
        table = TextTable(
            "Files of the folder that this notebook renders",
            ["file", "SHA-256, first 16 digits"],
            [[name, digest[:16]] for name, digest in sorted(self._folder.digests.items())],
            numbers=2,
        )
        self._show([*made, table])

    def _show(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if isinstance(part, str):
                print(visible(part))
            elif isinstance(part, Drawing):
                self._pictures += 1
                _display(part.picture(self._pictures))
            else:
                _display(part)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.folder}: {', '.join(self.sections)}>"


def _display(shown: TextTable | TitledPicture) -> None:
    """Shows it in a notebook; elsewhere as text."""
    try:
        from IPython.display import display
    except ModuleNotFoundError:
        print(shown)
    else:
        display(shown)


class RunPage(Page):
    """The sections of a run."""

    sections = (
        *("asked", "budgets", "times", "classes", "startup", "late"),
        *("hits", "caches", "cohorts", "files"),
    )
    _topics: ClassVar[dict[Topic, tuple[str, ...]]] = {
        "all": sections,
        "ttff": tuple(name for name in sections if name not in ("hits", "caches")),
        "caches": ("asked", "budgets", "hits", "caches", "files"),
    }

    def __init__(self, folder: Folder, about: Topic = "all") -> None:
        super().__init__(folder)
        self.about = about
        self._result = folder.document(RUN, "firstframe.result")

    def show(self) -> None:
        """Every section of what it is about, one after the other."""
        for name in self._topics[self.about]:
            getattr(self, name)()

    def asked(self) -> None:
        """The scenario, and how much of it was run."""
        self._show(_notebook_run.asked(self._result))

    def budgets(self) -> None:
        """Verdict and margin of each budget; a margin is in parts of the limit."""
        self._show(_notebook_run.budgets(self._result))

    def times(self) -> None:
        """Time to first frame by clock and network, in milliseconds."""
        self._show(_notebook_times.times(self._result, self._folder.text))

    def classes(self) -> None:
        """All views by when their first frame came."""
        self._show(_notebook_startup.classes(self._result))

    def startup(self) -> None:
        """Mean times of the parts of a startup, in milliseconds."""
        self._show(_notebook_startup.startup(self._result))

    def late(self) -> None:
        """Views that were late, by the part that had taken longest."""
        self._show(_notebook_startup.late(self._result))

    def hits(self) -> None:
        """Hit ratios by tier and class, and origin offload."""
        self._show(_notebook_caches.hits(self._result))

    def caches(self) -> None:
        """What became of the requests at each tier, by class."""
        self._show(_notebook_caches.caches(self._result))

    def cohorts(self) -> None:
        """Metrics for parts of the audience."""
        self._show(_notebook_run.cohorts(self._result))


class SweepPage(Page):
    """The sections of a sweep."""

    sections = ("asked", "points", "front", "lines", "effects", "files")

    def __init__(self, folder: Folder) -> None:
        super().__init__(folder)
        self._points = _notebook_sweep.Points(folder.document(SWEEP, "sweep"))

    def asked(self) -> None:
        """The keys that were varied, and their values."""
        self._show(_notebook_sweep.asked(self._points))

    def points(self) -> None:
        """Every point with every metric."""
        self._show(_notebook_sweep.table(self._points))

    def front(self) -> None:
        """The Pareto front."""
        self._show(_notebook_sweep.front(self._points))

    def lines(self) -> None:
        """Metrics over one key or two."""
        self._show(_notebook_sweep.lines(self._points))

    def effects(self) -> None:
        """What each key does to each metric."""
        self._show(_notebook_sweep.effects(self._points))


class CapacityPage(Page):
    """The sections of a capacity plan."""

    sections = ("levels", "observed", "breaks", "curve", "costs", "assumptions", "files")

    def __init__(self, folder: Folder) -> None:
        super().__init__(folder)
        self._plan = folder.document(CAPACITY, "capacity", schema=2)

    def levels(self) -> None:
        """Bandwidth in Gbps, requests a second, servers and money at the peak."""
        self._show(_notebook_capacity.levels(self._plan))

    def observed(self) -> None:
        """What files of the audience and logs say, beside the plan."""
        self._show(_notebook_capacity.observed(self._plan))

    def breaks(self) -> None:
        """How far the audience may grow before each thing gives way."""
        self._show(_notebook_capacity.breaks(self._plan))

    def curve(self, provider: str | None = None) -> None:
        """Misses over the bytes of an edge; of several providers, of an edge of `provider`."""
        self._show(_notebook_capacity.curve(self._plan, provider))

    def costs(self) -> None:
        """What a month costs, by line."""
        self._show(_notebook_capacity.costs(self._plan))

    def assumptions(self) -> None:
        """What the plan takes for granted."""
        self._show(_notebook_capacity.assumptions(self._plan))


def notebook(
    folder: str | os.PathLike[str], about: Topic | None = None, *, version: str | None = None
) -> RunPage | SweepPage | CapacityPage:
    """What a folder of results says, as sections that show themselves in a notebook.

    `folder` is that of a run, a sweep or a capacity plan. `about` chooses what `show()` has of a
    run. `version` is that of the program which wrote the notebook: where the package is of another
    one, a line says so. Pictures need matplotlib, the extra `plots`. Raises ResultError where it
    is no such folder.
    """
    installed = _installed("firstframe")
    if version not in (None, installed):
        print(
            f"firstframe: expected the package of version {visible(str(version))}, which wrote "
            f"this notebook, got {installed}: write it again, or install that one"
        )
    files = Folder(Path(folder))
    if about not in (None, "all", "ttff", "caches"):
        raise ValueError(f"about: expected all, ttff or caches, got {about}")
    if (files.path / RUN).is_file():
        return RunPage(files, about or "all")
    if about is not None:
        raise ValueError(f"about: expected the folder of a run, got {about} of {files.path}")
    if (files.path / SWEEP).is_file():
        return SweepPage(files)
    if (files.path / CAPACITY).is_file():
        return CapacityPage(files)
    raise ResultError(f"{files.path}: expected {RUN}, {SWEEP} or {CAPACITY} in it, got none")
