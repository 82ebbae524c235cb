"""Captchas: a picture, and whether somebody has read it. Neither needs a key."""

from cms_client import operations
from cms_client.answers import picture_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Picture


class Captchas(Resource[D]):
    """`client.captcha`"""

    @operation
    def draw(self, name: str) -> Operation[Picture]:
        """A new picture, a PNG."""
        return operations.get("captcha", name, read=picture_of(name)).open_to_all()

    @operation
    def check(self, picture: Picture, answer: str) -> Operation[bool]:
        """True, once. Raises BadRequest for a wrong answer, which uses the picture up as well."""
        place = ("captcha", picture.name, "actions", "check")
        made: Operation[bool] = operations.attempt(*place, read=value_of, body={"captcha": answer})
        return made.with_headers(Cookie=picture.cookie)
