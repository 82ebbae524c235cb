"""Small bar charts as drawings, without scripts and styles: every bar leads to what it counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise

_WIDTH, _HEIGHT, _GAP = 28, 72, 6  # units of the drawing
_LEAST = 2  # of a bar that stands for something, so that it can be seen and met


class Bar(NamedTuple):
    """A column: what it stands for, how much, and where that is listed."""

    label: str
    value: int
    url: str


class DrawnBar(NamedTuple):
    """A column with its place in the drawing."""

    bar: Bar
    x: int
    y: int
    height: int


@dataclass(frozen=True)
class Chart:
    """Columns from left to right."""

    title: str | Promise
    bars: Sequence[Bar]

    @property
    def width(self) -> int:
        """Of the drawing."""
        return len(self.bars) * (_WIDTH + _GAP)

    @property
    def column(self) -> int:
        """The width of a bar."""
        return _WIDTH

    @property
    def height(self) -> int:
        """Of the drawing."""
        return _HEIGHT

    @property
    def total(self) -> int:
        """Of all bars."""
        return sum(bar.value for bar in self.bars)

    @property
    def ends(self) -> tuple[str, str]:
        """What the first and the last bar stand for."""
        return (self.bars[0].label, self.bars[-1].label) if self.bars else ("", "")

    @property
    def most(self) -> int:
        """The value of the highest bar."""
        return max((bar.value for bar in self.bars), default=0)

    @property
    def drawn(self) -> list[DrawnBar]:
        """The bars, each as high as its share of the highest one."""
        return [self._draw(number, bar) for number, bar in enumerate(self.bars)]

    def _draw(self, number: int, bar: Bar) -> DrawnBar:
        share = round(_HEIGHT * bar.value / self.most) if bar.value else 0
        height = max(share, _LEAST) if bar.value else 0
        return DrawnBar(bar, number * (_WIDTH + _GAP), _HEIGHT - height, height)
