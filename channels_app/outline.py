"""Add several channels from an indented list of names, one per line."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F

from channels_app.models import Channel
from channels_app.services import count_children, find_addable, last_taxis, lock_tree, path_below, siblings
from core import audit
from core.lib.errors import InvalidInput
from core.lib.markup import clean_line, clean_name

MAX = 500  # lines
MAX_NAME = 255
_BLANKS, _DASHES, _TAB = " \t\u3000", "-—–", 4
_OPENING, _CLOSING = "(\uff08", ")\uff09"  # around an index name, in either width


class Line(NamedTuple):
    """A channel to be added; depth 0 is the top."""

    number: int
    depth: int
    name: str
    index_name: str


def outline_lines(text: str, *, marks: str = "", bullets: str = "") -> Iterator[tuple[int, int, str]]:
    """Yield number, depth (0: top) and text of each line; leading `marks` indent like blanks, `bullets` are dropped."""
    widths: list[int] = []  # of the lines above, from the top to the previous line
    for number, each in enumerate(text.splitlines(), start=1):
        rest = each.lstrip(_BLANKS + marks)
        name = rest.lstrip(_BLANKS + bullets).rstrip()
        if not name:
            continue
        # The ideographic space counts as two, as it looks.
        width = len(each[: len(each) - len(rest)].expandtabs(_TAB).replace("\u3000", "  "))
        while widths and widths[-1] >= width:
            widths.pop()
        yield number, len(widths), name
        widths.append(width)


def read_outline(text: str) -> list[Line]:
    """Read the channels of the text. Raises InvalidInput with the number of the wrong line."""
    lines: list[Line] = []
    known: set[str] = set()
    for number, depth, name in outline_lines(text, marks=_DASHES):
        index_name = ""
        start = max(name.rfind(each) for each in _OPENING)
        if name[-1] in _CLOSING and start >= 1:  # `News (news)`
            name, index_name = name[:start].strip(), name[start + 1 : -1].strip()
        if max(len(name), len(index_name)) <= MAX_NAME and "\0" not in name + index_name:
            name, index_name = clean_name(name), clean_line(index_name).text
        if not name or max(len(name), len(index_name)) > MAX_NAME or "\0" in name + index_name:
            message = f"Line {number} has no name, or one of more than {MAX_NAME} characters."
            raise InvalidInput("outline_name", message, line=number)
        lines.append(Line(number, depth, name, index_name))
    if not lines or len(lines) > MAX:
        raise InvalidInput("outline_length", f"The list must have 1 to {MAX} names.", most=MAX)
    for line in lines:
        if line.index_name in known:
            raise _taken(line)
        known |= {line.index_name} - {""}
    return lines


def _taken(line: Line) -> InvalidInput:
    message = f'Line {line.number}: another channel already has the index name "{line.index_name}".'
    return InvalidInput("outline_index", message, line=line.number, index_name=line.index_name)


@transaction.atomic
def add_outline(site_id: int, parent_id: int, lines: Sequence[Line]) -> list[Channel]:
    """Add all channels as last children, or none, in a few statements per level. Raises InvalidInput."""
    lock_tree(site_id)
    parent = find_addable(site_id, parent_id)
    names = {line.index_name: line for line in lines if line.index_name}
    for taken in siblings(site_id).filter(index_name__in=names).order_by("taxis").values_list("index_name", flat=True):
        raise _taken(names[taken])
    channels = [Channel(site_id=site_id, channel_name=line.name, index_name=line.index_name) for line in lines]
    insert_below(parent, channels, [line.depth for line in lines])
    audit.record_each("channel.created", channels, site_id=site_id)
    return channels


def insert_below(parent: Channel, channels: Sequence[Channel], depths: Sequence[int]) -> None:
    """Store new channels, in tree order, after all others below the parent; depth 0 is a child. Call it with the lock
    of the tree.

    Raises InvalidInput for a name taken by a writer that ignores the lock.
    """
    taxis = last_taxis(parent) + 1
    siblings(parent.site_id).filter(taxis__gte=taxis).update(taxis=F("taxis") + len(channels))
    for place, channel in enumerate(channels):
        channel.taxis = taxis + place
    try:
        with transaction.atomic():
            _store(channels, depths, parent)
    except IntegrityError as error:
        message = "Another channel has just taken one of the index names."
        raise InvalidInput("name_taken", message, member="indexName") from error
    count_children(parent.pk)


def _store(channels: Sequence[Channel], depths: Sequence[int], parent: Channel) -> None:
    """Store level by level, since a channel needs the number of its parent."""
    levels: dict[int, list[tuple[Channel, Channel]]] = {}  # each channel with its parent
    way: list[Channel] = []
    last_below: dict[int, Channel] = {}
    for channel, depth in zip(channels, depths, strict=True):
        del way[depth:]
        above = way[-1] if way else parent
        levels.setdefault(depth, []).append((channel, above))
        channel.parents_count = above.parents_count + 1
        channel.is_last_node = True
        if before := last_below.get(id(above)):
            before.is_last_node = False
        last_below[id(above)] = channel
        if way:
            above.children_count += 1
        way.append(channel)
    for _depth, level in sorted(levels.items()):
        for channel, above in level:
            channel.parent, channel.parents_path = above, path_below(above)
        Channel.objects.bulk_create([channel for channel, _above in level])
