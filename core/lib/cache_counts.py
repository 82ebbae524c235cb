class CacheCounts:
    """Hits and misses of one in-process cache since the start, counted under the cache's lock."""

    named: "dict[str, CacheCounts]" = {}

    def __init__(self, name: str) -> None:
        self.hits = self.misses = 0
        self.named[name] = self
