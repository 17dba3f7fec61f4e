"""What a benchmark prints: a title, columns, rows."""

from dataclasses import dataclass, field

Cell = str | int | float


@dataclass(slots=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    note: str = ""

    def add(self, *cells: Cell) -> None:
        self.rows.append(cells)

    def text(self) -> str:
        written = [self.columns, *(tuple(map(shown, row)) for row in self.rows)]
        widths = [max(len(row[place]) for row in written) for place in range(len(self.columns))]
        lines = [f"\n## {self.title}"]
        for row in written:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append("  ".join(cells).rstrip())
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        return {"title": self.title, "columns": self.columns, "rows": self.rows, "note": self.note}


def shown(cell: Cell) -> str:
    """Write a figure with three digits that count, large ones with separators."""
    if isinstance(cell, float):
        return f"{cell:.3g}" if abs(cell) < 100 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
