"""How the place of a store is read from a command line."""

from __future__ import annotations

from typing import Any

from typer.models import TyperPath

from memcli.config.location import Location, read_location


class PlaceType(TyperPath):
    """A path, or an address of a database; completed as a path is."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The place. Raises what `read_location` does, which quotes no address."""
        place: Location = read_location(value) if isinstance(value, str) else value
        return place
