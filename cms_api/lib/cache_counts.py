"""How often what a process keeps has answered: plain numbers, which cost nothing where nobody asks for them."""


class CacheCounts:
    """Look-ups of one cache of this process since its start, counted under the lock of the cache."""

    named: "dict[str, CacheCounts]" = {}

    def __init__(self, name: str) -> None:
        self.hits = self.misses = 0
        self.named[name] = self

    def add(self, *, was_kept: bool) -> None:
        if was_kept:
            self.hits += 1
        else:
            self.misses += 1
