"""Names the platform of a wheel after the programs that it carries."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarriedPrograms(BuildHookInterface):  # type: ignore[type-arg]
    """Refuses a wheel without programs, and tags one with them.

    FIRSTFRAME_PLATFORM is the platform that the programs need, such as manylinux_2_36_x86_64;
    .ci/package reads it from the programs themselves.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # What is installed for development runs the programs of a wheel beside it, or none.
        if version == "editable":
            return
        folder = Path(self.root, "src", "firstframe", "bin")
        missing = [
            name
            for name in ("firstframe", "firstframe-live")
            if not os.access(folder / name, os.X_OK)
        ]
        platform = os.environ.get("FIRSTFRAME_PLATFORM", "")
        if missing:
            raise SystemExit(
                f"hatch_build: expected {' and '.join(missing)} in {folder}, got none; make package"
            )
        if not platform:
            raise SystemExit("hatch_build: FIRSTFRAME_PLATFORM: expected a platform, got nothing")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
