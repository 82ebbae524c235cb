"""Requests that send files, and their rows."""

from media_library.models import MediaFile
from tests.accounts.forms import FORM, file_part, form, text_part
from tests.accounts.picture_files import plain, saved


def picture(size=(900, 600), color=(200, 40, 30), kind="JPEG"):
    return saved(plain(size, color), kind)


def address(site, *parts):
    return "/".join(["/api/v1/media", str(site.pk), *map(str, parts)])


def send(client, site, *files, query="", texts=(), **options):
    """Send a form with these (name, bytes), and texts (name, text)."""
    parts = [file_part(data, name="file", filename=name) for name, data in files]
    body = form(*parts, *(text_part(*each) for each in texts))
    return client.send("POST", address(site) + query, body, FORM, **options)


def replace(client, file, name, data, **options):
    path = f"/api/v1/media/{file.site_id}/{file.pk}/file"
    return client.send("POST", path, form(file_part(data, name="file", filename=name)), FORM, **options)


def uploaded(client, site, name="Harbour.jpg", data=None, **options):
    """The row of a file that has been sent."""
    response = send(client, site, (name, picture() if data is None else data), **options)
    assert response.status_code == 200, response.content
    return MediaFile.objects.get(pk=response.json()["value"]["id"])
