"""Several channels at once out of a list of names, a line each, moved in below the one they belong to."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F

from channels_app.models import Channel
from channels_app.services import count_children, find_addable, last_taxis, lock_tree, path_below, siblings
from cms_api import audit
from cms_api.lib.errors import InvalidInput

MOST = 500  # lines
MAX_NAME = 255
_BLANKS, _DASHES, _TAB = " \t\u3000", "-—–", 4
_OPENING, _CLOSING = "(\uff08", ")\uff09"  # around an index name, of either width


class Line(NamedTuple):
    """One channel to be: where its line stands, how deep (0 the top), and its names."""

    number: int
    depth: int
    name: str
    index_name: str


def outline_lines(text: str, *, marks: str = "", bullets: str = "") -> Iterator[tuple[int, int, str]]:
    """Number, depth (0 the top) and text of each line that has some; a line further in is below the one above it.

    Leading `marks` count as blanks do, `bullets` in front of a name count for nothing.
    """
    widths: list[int] = []  # of the lines above, from the top to the one before
    for number, each in enumerate(text.splitlines(), start=1):
        rest = each.lstrip(_BLANKS + marks)
        name = rest.lstrip(_BLANKS + bullets).rstrip()
        if not name:
            continue
        # The blank of Chinese texts counts as two, as it looks.
        width = len(each[: len(each) - len(rest)].expandtabs(_TAB).replace("\u3000", "  "))
        while widths and widths[-1] >= width:
            widths.pop()
        yield number, len(widths), name
        widths.append(width)


def read_outline(text: str) -> list[Line]:
    """The channels that the text names. Raises InvalidInput with the number of the line that is wrong."""
    lines = [_checked(Line(number, depth, *_names(name))) for number, depth, name in outline_lines(text, marks=_DASHES)]
    if not lines or len(lines) > MOST:
        raise InvalidInput("outline_length", f"The list has from 1 to {MOST} names.", most=MOST)
    _refuse_repeated(lines)
    return lines


def _names(text: str) -> tuple[str, str]:
    """`News (news)` → the name and the index name."""
    start = max(text.rfind(each) for each in _OPENING)
    if text[-1] not in _CLOSING or start < 1:
        return text, ""
    return text[:start].strip(), text[start + 1 : -1].strip()


def _checked(line: Line) -> Line:
    if not line.name or max(len(line.name), len(line.index_name)) > MAX_NAME or "\0" in line.name + line.index_name:
        message = f"Line {line.number} has no name, or one of more than {MAX_NAME} characters."
        raise InvalidInput("outline_name", message, line=line.number)
    return line


def _refuse_repeated(lines: Sequence[Line]) -> None:
    known: set[str] = set()
    for line in lines:
        if line.index_name in known:
            raise _taken(line)
        known |= {line.index_name} - {""}


def _taken(line: Line) -> InvalidInput:
    message = f'Line {line.number}: another channel has the index name "{line.index_name}" already.'
    return InvalidInput("outline_index", message, line=line.number, index_name=line.index_name)


@transaction.atomic
def add_outline(site_id: int, parent_id: int, lines: Sequence[Line]) -> list[Channel]:
    """The new channels, as the last ones below the parent: all of them or none.

    Costs a few statements for each level, not for each channel. Raises InvalidInput for a parent that does not exist
    or takes no channels, and for an index name that is taken.
    """
    lock_tree(site_id)
    parent = find_addable(site_id, parent_id)
    _refuse_taken(site_id, lines)
    taxis = last_taxis(parent) + 1
    siblings(site_id).filter(taxis__gte=taxis).update(taxis=F("taxis") + len(lines))
    channels = _unsaved(site_id, lines, taxis)
    try:
        with transaction.atomic():
            _store(channels, lines, parent)
    except IntegrityError as error:  # by somebody who writes past the lock of the tree
        raise InvalidInput("name_taken", "Another channel has taken an index name meanwhile.") from error
    count_children(parent.pk)
    audit.note_each("channel.created", channels, site_id=site_id)
    return channels


def _refuse_taken(site_id: int, lines: Sequence[Line]) -> None:
    names = {line.index_name: line for line in lines if line.index_name}
    for taken in siblings(site_id).filter(index_name__in=names).order_by("taxis").values_list("index_name", flat=True):
        raise _taken(names[taken])


def _unsaved(site_id: int, lines: Sequence[Line], taxis: int) -> list[Channel]:
    return [
        Channel(site_id=site_id, channel_name=line.name, index_name=line.index_name, taxis=taxis + place)
        for place, line in enumerate(lines)
    ]


def _store(channels: Sequence[Channel], lines: Sequence[Line], parent: Channel) -> None:
    """Store level by level, since a channel needs the number of the one above it."""
    above = _parents(lines)
    last_below = {place: child for child, place in enumerate(above)}
    for place, channel in enumerate(channels):
        channel.children_count = above.count(place)
        channel.is_last_node = last_below[above[place]] == place
    for depth in range(1 + max(line.depth for line in lines)):
        level = [place for place, line in enumerate(lines) if line.depth == depth]
        for place in level:
            _hang(channels[place], parent if above[place] is None else channels[above[place] or 0])
        Channel.objects.bulk_create([channels[place] for place in level])


def _parents(lines: Sequence[Line]) -> list[int | None]:
    """For each line the place of the one that it stands below; None for the top."""
    way: list[int] = []
    found: list[int | None] = []
    for place, line in enumerate(lines):
        del way[line.depth :]
        found.append(way[-1] if way else None)
        way.append(place)
    return found


def _hang(channel: Channel, parent: Channel) -> None:
    channel.parent = parent
    channel.parents_path = path_below(parent)
    channel.parents_count = parent.parents_count + 1
