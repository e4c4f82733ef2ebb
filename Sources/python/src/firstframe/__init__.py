"""FirstFrame: predicts what a configuration change does to a short-video feed."""

from importlib.metadata import version as _version

from ._dask import DaskEngine
from ._engine import Engine, LocalEngine, SubmitEngine
from ._errors import (
    FirstFrameError,
    InputMissing,
    InternalError,
    OutputError,
    Partial,
    Problem,
    Refused,
    ResultError,
    ScenarioError,
    ShardsFailed,
    Unavailable,
    UsageError,
)
from ._notebook import CapacityPage, RunPage, SweepPage, notebook
from ._plots import Picture
from ._programs import ProgramMissing, program
from ._results import Comparison, Gate, Run, Sweep, Text, open
from ._study import Study, VariedStudy
from ._table import Column, Table

__all__ = [
    "CapacityPage",
    "Column",
    "Comparison",
    "DaskEngine",
    "Engine",
    "FirstFrameError",
    "Gate",
    "InputMissing",
    "InternalError",
    "LocalEngine",
    "OutputError",
    "Partial",
    "Picture",
    "Problem",
    "ProgramMissing",
    "Refused",
    "ResultError",
    "Run",
    "RunPage",
    "ScenarioError",
    "ShardsFailed",
    "Study",
    "SubmitEngine",
    "Sweep",
    "SweepPage",
    "Table",
    "Text",
    "Unavailable",
    "UsageError",
    "VariedStudy",
    "__version__",
    "notebook",
    "open",
    "program",
]

__version__: str = _version("firstframe")
