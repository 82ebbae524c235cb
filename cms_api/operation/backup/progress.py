"""How far a backup or restore is, for whoever waits."""

import sys
from typing import Any, Protocol

from tqdm import tqdm


class Progress(Protocol):
    """Is told what is being done, and how much of it."""

    def begin(self, what: str, total: int | None = None) -> None:
        """Something else begins; `total` is in units of `what`."""

    def advance(self, number: int) -> None:
        """So much more is done."""

    def end(self) -> None:
        """Nothing more will be told."""


class Bars:
    """Bars on the terminal; nothing where standard error is none, or where nobody wants to see them."""

    def __init__(self, *, quiet: bool = False) -> None:
        # `None` means: no bar where the output is no terminal.
        self._disable = True if quiet else None
        self._bar: Any = None

    def begin(self, what: str, total: int | None = None) -> None:
        """The bar of before stays as it is, a new one begins below it."""
        self.end()
        scale = what == "bytes"
        self._bar = tqdm(total=total or None, unit=" " + what, unit_scale=scale, disable=self._disable, file=sys.stderr)

    def advance(self, number: int) -> None:
        """Move the bar on."""
        self._bar.update(number)

    def end(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
