"""FirstFrame: predicts what a configuration change does to a short-video feed."""

from importlib.metadata import version as _version

from ._programs import ProgramMissing, program

__all__ = ["ProgramMissing", "__version__", "program"]

__version__: str = _version("firstframe")
