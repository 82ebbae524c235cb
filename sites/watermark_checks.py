from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from core.lib import clock
from core.lib.errors import LimitReached, ServiceError
from core.uploads.pictures import LANE
from sites.attributes import REGISTRY
from sites.models import Site
from sites.watermarks import installed_font, try_mark, watermark_of

T = TypeVar("T")


def in_lane(work: Callable[[], T]) -> T:
    """Process pictures in their lane. Raises LimitReached (`pictures_busy`)."""
    try:
        return LANE.run(work)
    except LimitReached as error:
        # Sign-ins use the code "busy".
        raise LimitReached("pictures_busy", error.message, wait=error.wait) from error


def raise_if_undrawable_mark(site_id: int, values: Mapping[str, Any]) -> None:
    """Raises like an upload of a picture if the watermark of these settings cannot be drawn."""
    if mark := watermark_of(site_id, values, clock.now()):
        in_lane(partial(try_mark, mark))


def missing_font(values: Mapping[str, Any]) -> str:
    """Return the watermark's font if it is not installed, else empty. Raises LimitReached."""
    name = str(values["waterMarkFontName"]).strip()
    is_written = values["isWaterMark"] and not values["isImageWaterMark"]
    return name if name and is_written and not in_lane(partial(installed_font, name)) else ""


def mark_problem(site: Site) -> ServiceError | None:
    """Return the reason why the site's watermark cannot be drawn; None if it can, or if there is none."""
    try:
        raise_if_undrawable_mark(site.pk, REGISTRY.values(site.settings))
    except ServiceError as refusal:
        return refusal
    return None
