"""Forms with files, as clients send them."""

from django.core.files.storage import default_storage

from core.lib.media_storage import read_storage

BOUNDARY = "----harbour"
FORM = f"multipart/form-data; boundary={BOUNDARY}"


def file_part(contents, *, name="avatar", filename="me.png", content_type="image/png", more=""):
    """A part that is a file."""
    head = f'Content-Disposition: form-data; name="{name}"; filename="{filename}"\r\nContent-Type: {content_type}\r\n'
    return head.encode() + more.encode() + b"\r\n" + contents


def text_part(name, text):
    """A part that is a text."""
    return f'Content-Disposition: form-data; name="{name}"\r\n\r\n{text}'.encode()


def form(*parts):
    """The body of a form."""
    separated = b"".join(b"--" + BOUNDARY.encode() + b"\r\n" + part + b"\r\n" for part in parts)
    return separated + b"--" + BOUNDARY.encode() + b"--\r\n"


def upload(client, user_id, *parts, **options):
    """The answer to an upload of these parts."""
    return client.send("POST", f"/api/v1/users/{user_id}/avatar", form(*parts), FORM, **options)


def keep_media_in(settings, folder, address=""):
    """From now on files are kept there."""
    settings.STORAGES = settings.STORAGES | {"default": read_storage(address, folder)}


def stored(name):
    """The bytes of a file in the storage."""
    with default_storage.open(name) as file:
        return file.read()


def stored_files():
    """The names of all files in the storage."""
    return set(_walk(""))


def _walk(folder):
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in files:
        yield f"{folder}{name}"
    for name in folders:
        yield from _walk(f"{folder}{name}/")
