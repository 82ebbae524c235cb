"""What acts hand to the services that change contents, and what they make of the answers."""

from collections.abc import Sequence
from functools import partial

from django.http import HttpRequest

from cms_api.admin.acts import Act, Changed
from cms_api.lib.errors import ServiceError
from contents.models import Content
from contents.services.single import trash_contents
from contents.services.undoing import take_back
from contents.storing.locking import Seen

# Contents with the versions to which an act has brought them.
Pairs = Sequence[tuple[Content, int]]


def of_any_version(contents: Sequence[Content]) -> list[Seen]:
    """The contents as they are by now."""
    return [Seen(content.site_id, content.pk) for content in contents]


def as_seen(contents: Sequence[Content]) -> list[Seen]:
    """The contents as they were seen: a decision counts for nothing else."""
    return brought_to([(content, content.version) for content in contents])


def brought_to(pairs: Pairs) -> list[Seen]:
    """The contents, each of the version to which an act has brought it."""
    return [Seen(content.site_id, content.pk, version) for content, version in pairs]


def changed(results: Sequence[Content | ServiceError | None]) -> list[Changed | ServiceError | None]:
    """The contents as a service has left them; None for what was so already, of which nothing is taken back."""
    return [Changed(one.pk, one.version) if isinstance(one, Content) else one for one in results]


def take_back_changes(request: HttpRequest, pairs: Pairs) -> list[Content | ServiceError]:
    """Take back what an act changed of contents that stay where they can be seen."""
    return take_back(brought_to(pairs), request.user)


def take_back_arrivals(request: HttpRequest, pairs: Pairs) -> list[Content | ServiceError]:
    """Move to the trash what an act has made, or has brought back from there."""
    return trash_contents(brought_to(pairs))


# An act on the contents of a portion by one statement or a few, which is taken back by the history.
ContentAct = partial(Act, take_back=take_back_changes, at_once=True)
