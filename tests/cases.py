"""Cases of tests whose parameters do not depend on each other."""

import pytest


def each_once(*lists):
    """Parametrize with each item of every list beside the first items of the others, instead of with their product.

    For lists that the code reads independently of each other, such as all members and all wrong values. Each list is
    given as `parametrize` takes it: names and values. Put the value first that tells the most about a member.
    """
    names = [_split(written) for written, _ in lists]
    rows = [
        [tuple(item) if len(each) > 1 else (item,) for item in values]
        for each, (_, values) in zip(names, lists, strict=True)
    ]
    first = [items[0] for items in rows]
    cases = [first]
    for place, items in enumerate(rows):
        cases += [[*first[:place], item, *first[place + 1 :]] for item in items[1:]]
    flat = [name for each in names for name in each]
    values = [tuple(value for part in case for value in part) for case in cases]
    return pytest.mark.parametrize(flat, values if len(flat) > 1 else [value for (value,) in values])


def _split(names):
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
