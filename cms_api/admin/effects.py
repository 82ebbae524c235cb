"""What an act would do, told before it is done: to how many, to which not, and where they stand."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cms_api.admin.acts import Act

_PLACES = 10


@dataclass(frozen=True)
class Effect:
    """The records that an act would be done to, and those that it leaves as they are."""

    records: list[Any]
    others: list[Any]
    # The places of the records with how many stand there, the fullest first; empty where all stand in one.
    places: list[tuple[str, int]] = field(default_factory=list)

    @property
    def chosen(self) -> int:
        """How many were chosen."""
        return len(self.records) + len(self.others)


def effect_of(act: Act, records: list[Any], place_of: Callable[[Any], str]) -> Effect:
    """What the act would do to the records; `place_of` names where each of them stands."""
    suited = [record for record in records if act.suits(record)]
    places = Counter(map(place_of, suited))
    told = places.most_common(_PLACES) if len(places) > 1 else []
    return Effect(suited, [record for record in records if not act.suits(record)], told)
