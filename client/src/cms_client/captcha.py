"""Captchas: fetch a picture and check the answer. Neither needs an API key."""

from cms_client import operations
from cms_client.answers import picture_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Picture


class Captchas(Resource[D]):
    """Operations of `client.captcha`."""

    @operation
    def draw(self, name: str) -> Operation[Picture]:
        """Request a new captcha picture, in PNG format."""
        return operations.get("captcha", name, read=picture_of(name)).open_to_all()

    @operation
    def check(self, picture: Picture, answer: str) -> Operation[bool]:
        """Return True if the answer is correct. Raises BadRequest if it is wrong. Each picture allows one attempt."""
        place = ("captcha", picture.name, "actions", "check")
        made: Operation[bool] = operations.attempt(*place, read=value_of, body={"captcha": answer})
        return made.with_headers(Cookie=picture.cookie)
