"""Tables of results: one observation in each row, with a type for each column."""

from __future__ import annotations

import csv
import html
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ._errors import ResultError

Cell = str | int | float | bool | None
"""A value: None where there is none."""

Kind = Literal["text", "integer", "number", "boolean"]
"""The type of a column's values."""

_MOST_INT64 = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, which has the unit where it is of a number, and its type."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named and typed columns.

    Whole numbers stay whole, numbers keep every bit, and what is missing is None, through every
    way out: CSV, pandas, Polars, Arrow and Parquet. The last four need the package that they are
    named after, or pyarrow.
    """

    columns: tuple[Column, ...]
    data: tuple[tuple[Cell, ...], ...]

    @staticmethod
    def of(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> Table:
        """A table of rows whose values have the types of their columns; raises ResultError."""
        return Table(
            tuple(columns),
            tuple(
                tuple(_typed(column, cell) for column, cell in zip(columns, row, strict=True))
                for row in rows
            ),
        )

    # Reading

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        names = self.names
        return (dict(zip(names, row, strict=True)) for row in self.data)

    def rows(self) -> list[dict[str, Cell]]:
        """The rows as dictionaries by column."""
        return list(self)

    def column(self, name: str) -> list[Cell]:
        """The values of a column; raises KeyError where there is none of this name."""
        place = self._place(name)
        return [row[place] for row in self.data]

    def where(self, /, **values: Cell) -> Table:
        """The rows with these values, such as `metrics.where(metric="ttff_ms.p95")`."""
        wanted = [(self._place(name), value) for name, value in values.items()]
        rows = (row for row in self.data if all(row[place] == value for place, value in wanted))
        return Table(self.columns, tuple(rows))

    def value(self, name: str, /, **values: Cell) -> Cell:
        """The value in a column of the one row with these values; raises KeyError."""
        found = self.where(**values)
        if len(found) != 1:
            raise KeyError(f"expected one row with {values}, got {len(found)}")
        return found.data[0][found._place(name)]

    def _place(self, name: str) -> int:
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(
                f"expected one of the columns {', '.join(self.names)}, got {name}"
            ) from None

    # CSV

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as CSV, as the program writes it; into a file, too, where one is named."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.names)
        writer.writerows([_written(cell) for cell in row] for row in self.data)
        if path is not None:
            whole = Path(path)
            part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
            part.write_text(text.getvalue(), encoding="utf-8", newline="")
            part.replace(whole)
        return text.getvalue()

    @staticmethod
    def read_csv(path: str | os.PathLike[str], kinds: Mapping[str, Kind]) -> Table:
        """Reads what the program has written; a column of no known type is text.

        Raises ResultError with file, line and column of the first value that is none.
        """
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            try:
                head = next(reader, None)
                if head is None:
                    raise ResultError(f"{path}:1:1: expected the names of columns, got nothing")
                columns = tuple(Column(name, kinds.get(name, "text")) for name in head)
                rows = [_read_row(path, reader.line_num, columns, row) for row in reader]
            except csv.Error as problem:
                raise ResultError(
                    f"{path}:{reader.line_num}:1: expected CSV, got {problem}"
                ) from None
        return Table(columns, tuple(rows))

    # Packages of others

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with nullable types, so that whole numbers stay whole."""
        import pandas

        kinds = {"text": "string", "number": "Float64", "boolean": "boolean"}
        return pandas.DataFrame(
            {
                column.name: pandas.array(
                    list(values),
                    dtype=("UInt64" if _is_wide(values) else "Int64")
                    if column.kind == "integer"
                    else kinds[column.kind],
                )
                for column, values in self._by_column()
            },
        )

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars

        kinds = {"text": polars.String, "number": polars.Float64, "boolean": polars.Boolean}
        return polars.DataFrame(
            [
                polars.Series(
                    column.name,
                    list(values),
                    dtype=(polars.UInt64 if _is_wide(values) else polars.Int64)
                    if column.kind == "integer"
                    else kinds[column.kind],
                )
                for column, values in self._by_column()
            ]
        )

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        import pyarrow

        kinds = {
            "text": pyarrow.string(),
            "number": pyarrow.float64(),
            "boolean": pyarrow.bool_(),
        }
        arrays = [
            pyarrow.array(
                list(values),
                type=(pyarrow.uint64() if _is_wide(values) else pyarrow.int64())
                if column.kind == "integer"
                else kinds[column.kind],
            )
            for column, values in self._by_column()
        ]
        return pyarrow.table(arrays, names=list(self.names))

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes a Parquet file by pyarrow, whole or not at all."""
        from pyarrow import parquet

        whole = Path(path)
        part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
        try:
            parquet.write_table(self.to_arrow(), part)
            part.replace(whole)
        finally:
            part.unlink(missing_ok=True)

    def _by_column(self) -> Iterator[tuple[Column, tuple[Cell, ...]]]:
        for place, column in enumerate(self.columns):
            yield column, tuple(row[place] for row in self.data)

    # Shown

    def __repr__(self) -> str:
        return f"<Table {len(self)} rows: {', '.join(self.names)}>"

    def _repr_html_(self, most: int = 20) -> str:
        def cells(tag: str, values: Iterable[Cell]) -> str:
            return "".join(f"<{tag}>{html.escape(_written(value))}</{tag}>" for value in values)

        body = "".join(f"<tr>{cells('td', row)}</tr>" for row in self.data[:most])
        more = f"<p>{len(self) - most} more rows</p>" if len(self) > most else ""
        head = cells("th", self.names)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def read_kinds(path: Path) -> dict[str, dict[str, Kind]]:
    """The types of columns by table, of the `tables.json` beside the tables."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] != 1 or document["kind"] != "firstframe.tables":
            raise ResultError(f"{path}: expected tables of schema 1, got another document")
        return {
            table["name"]: {column["name"]: column["type"] for column in table["columns"]}
            for table in document["tables"]
        }
    except (KeyError, TypeError, json.JSONDecodeError) as problem:
        raise ResultError(f"{path}: expected the tables' columns, got {problem!r}") from None


def _is_wide(values: Sequence[Cell]) -> bool:
    return any(isinstance(value, int) and value > _MOST_INT64 for value in values)


def _typed(column: Column, cell: Cell) -> Cell:
    if cell is None:
        return None
    match column.kind:
        case "text":
            fits = isinstance(cell, str)
        case "boolean":
            fits = isinstance(cell, bool)
        case "integer":
            fits = isinstance(cell, int) and not isinstance(cell, bool)
        case "number":
            fits = isinstance(cell, int | float) and not isinstance(cell, bool)
            if fits:
                return float(cell)
    if not fits:
        raise ResultError(f"{column.name}: expected {_word(column.kind)}, got {cell!r}")
    return cell


def _written(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return repr(cell) if isinstance(cell, float) else str(cell)


def _read_row(
    path: str | os.PathLike[str], line: int, columns: Sequence[Column], row: Sequence[str]
) -> tuple[Cell, ...]:
    if len(row) != len(columns):
        raise ResultError(f"{path}:{line}:1: expected {len(columns)} values, got {len(row)}")
    cells: list[Cell] = []
    for place, (column, text) in enumerate(zip(columns, row, strict=True)):
        try:
            cells.append(_read(column.kind, text))
        except ValueError:
            at = sum(len(before) + 1 for before in row[:place]) + 1
            raise ResultError(
                f"{path}:{line}:{at}: {column.name}: expected {_word(column.kind)}, got {text}"
            ) from None
    return tuple(cells)


def _read(kind: Kind, text: str) -> Cell:
    if kind == "text":
        return text
    if not text:
        return None
    match kind:
        case "integer":
            return int(text)
        case "number":
            return float(text)
        case "boolean":
            return {"true": True, "false": False}[text] if text in ("true", "false") else _refuse()


def _refuse() -> bool:
    raise ValueError


def _word(kind: Kind) -> str:
    return {
        "text": "a text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
    }[kind]
