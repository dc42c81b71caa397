"""An open table that turns into a list where the terminal is too narrow for its columns, so that no name is split."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

GAP = 3
"""Characters between two columns."""
PROSE = 24
"""Width under which a column of sentences is no pleasure to read."""


class Columns:
    """Text columns, then figures; `prose` names the text columns that hold sentences."""

    def __init__(self, text: Sequence[str], figures: Sequence[str] = (), prose: Sequence[str] = ()) -> None:
        self.text, self.figures, self.prose = tuple(text), tuple(figures), tuple(prose)
        self.rows: list[tuple[Text, ...]] = []

    def add(self, *cells: Text | str) -> None:
        """A row; cells left out at the end are empty."""
        self.rows.append(tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells))

    @property
    def narrowest(self) -> int:
        """The least width at which no word of a text and no figure is split."""
        columns = list(zip_longest(*self.rows, fillvalue=Text("")))
        widths = []
        for place, name in enumerate((*self.text, *self.figures)):
            cells = [*(columns[place] if place < len(columns) else ()), Text(name)]
            if name in self.figures:
                widths.append(max(cell.cell_len for cell in cells))
            else:
                words = [Text(word).cell_len for cell in cells for word in cell.plain.split()]
                widths.append(max(words, default=0) if name not in self.prose else max(PROSE, *words))
        return sum(widths) + GAP * len(widths)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.narrowest <= options.max_width:
            yield self.table()
        else:
            yield from self.listed()

    def table(self) -> Table:
        """The rows side by side."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for name in self.text:
            table.add_column(Text(name), overflow="fold")
        for name in self.figures:
            table.add_column(Text(name), justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(*row)
        return table

    def listed(self) -> RenderResult:
        """Each row as its name with what belongs to it under it, a line each."""
        yield Text("")
        for row in self.rows:
            yield row[0]
            for cell in row[1 : len(self.text)]:
                yield Padding(cell, (0, 0, 0, 4))
            for name, cell in zip(self.figures, row[len(self.text) :], strict=False):
                yield Padding(Text(f"{name.lower()} ").append(cell), (0, 0, 0, 4))
        yield Text("")
