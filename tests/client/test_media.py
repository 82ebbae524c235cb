"""Files of the library, through both clients, against a real server."""

import io
from secrets import token_hex

import httpx
import pytest
from cms_client import BadRequest, ConnectionFailed, NotFound, NotModified, PreconditionFailed
from PIL import Image

from tests.accounts.picture_files import plain, saved
from tests.client.faulty import answer, drop, lose

pytestmark = pytest.mark.large


@pytest.fixture
def bytes_():
    """Bytes that the site does not have."""
    return token_hex(50_000).encode()


@pytest.fixture
def file(client, bytes_):
    return client.media.upload(1, bytes_, name="hours.txt").file


def test_a_path_is_uploaded_with_texts(client, bytes_, tmp_path):
    path = tmp_path / 'my "best" 照片.txt'
    path.write_bytes(bytes_)
    sent = []
    texts = {"title": 'Öffnungszeiten "neu"\r\n--', "alternativeText": "", "tags": "visitors,开放日", "folderId": 0}
    made = client.media.upload(1, path, texts, on_progress=lambda *now: sent.append(now))
    assert not made.is_existing
    assert {name: made.file[name] for name in texts} == texts
    assert made.file["size"] == len(bytes_)
    amounts, totals = zip(*sent, strict=True)
    assert len(amounts) > 2 and list(amounts) == sorted(set(amounts))
    assert {amounts[-1]} == set(totals) and totals[0] > len(bytes_)
    assert client.media.upload(1, str(path)).is_existing
    copied = client.media.upload(1, path, copy=True)
    assert not copied.is_existing and copied.file["id"] != made.file["id"]


def test_an_open_file_is_uploaded_from_its_place(client, bytes_):
    file = io.BytesIO(b"skipped" + bytes_)
    file.seek(7)
    made = client.media.upload(1, file, name="hours.txt").file
    assert made["size"] == len(bytes_) and not file.closed


def test_an_open_file_has_the_name_of_its_path(client, bytes_, tmp_path):
    (tmp_path / "hours.txt").write_bytes(bytes_)
    with (tmp_path / "hours.txt").open("rb") as file:
        assert client.media.upload(1, file).file["title"] == "hours"


def test_files_that_cannot_be_sent_are_refused(client, tmp_path):
    class Pipe(io.RawIOBase):
        def seekable(self):
            return False

    with pytest.raises(ValueError, match="no name"):
        client.media.upload(1, b"bytes")
    with pytest.raises(ValueError, match="again"):
        client.media.upload(1, Pipe(), name="a.txt")
    with pytest.raises(FileNotFoundError):
        client.media.upload(1, tmp_path / "none.txt")


def test_a_retry_sends_the_file_again_and_stores_it_once(make, faulty, museum, bytes_, tmp_path):
    (tmp_path / "hours.txt").write_bytes(bytes_)
    client = make(faulty.address, museum.key)
    faulty.acts = [lose, answer(503)]
    made = client.media.upload(1, tmp_path / "hours.txt", copy=True).file
    first, *others = [request for request in faulty.requests if request.command == "POST"]
    assert others and {(each.body, each.headers["Idempotency-Key"]) for each in others} == {
        (first.body, first.headers["Idempotency-Key"])
    }
    assert [each["sha256"] for each in client.media.iterate(1)].count(made["sha256"]) == 1


def test_the_same_upload_is_the_same_request(client, bytes_):
    key = token_hex()
    first = client.media.upload(1, bytes_, name="a.txt", copy=True, idempotency_key=key)
    assert client.media.upload(1, bytes_, name="a.txt", copy=True, idempotency_key=key) == first


def test_an_upload_without_a_connection_fails(make, faulty, museum):
    client = make(faulty.address, museum.key)
    faulty.acts = [drop] * 20
    with pytest.raises(ConnectionFailed):
        client.media.upload(1, b"bytes", name="a.txt")


def test_a_url_is_given_to_the_server(client):
    with pytest.raises(BadRequest) as caught:
        client.media.upload_from_url(1, "http://169.254.169.254/a.jpg", {"title": "Meta"}, name="b.jpg", copy=True)
    assert caught.value.code == "address_refused"


def test_files_are_listed_and_iterated(client, bytes_):
    texts = {"tags": (tag := token_hex(8))}
    made = [client.media.upload(1, bytes_ + bytes([number]), texts, name="a.txt").file["id"] for number in range(3)]
    page = client.media.list(1, text=tag, kind="document", since="2020-01-01", until="2100-01-01", top=2)
    assert ([each["id"] for each in page], page.total) == (made[:0:-1], 3)
    assert [each["id"] for each in client.media.list(1, text=tag, skip=2)] == made[:1]
    seen = []
    found = client.media.iterate(1, text=tag, per_page=2, progress=lambda *now: seen.append(now))
    assert [each["id"] for each in found] == made[::-1]
    assert seen == [(1, None), (2, None), (3, None)]
    with pytest.raises(TypeError, match="no filter"):
        client.media.list(1, colour="red")


def test_the_life_of_a_file(client, file, bytes_):
    tagged = client.with_etags.media.get(1, file["id"])
    assert tagged.value == file
    with pytest.raises(NotModified):
        client.media.get(1, file["id"], if_none_match=tagged.etag)
    changed = client.media.update(1, file["id"], {"credit": "Museum", "focalPoint": {"x": 0.5, "y": 0.2}})
    assert (changed["credit"], changed["focalPoint"]) == ("Museum", {"x": 0.5, "y": 0.2})
    assert client.media.update(1, file["id"], {"focalPoint": None})["focalPoint"] is None
    with pytest.raises(PreconditionFailed):
        client.media.replace(1, file["id"], b"new", name="hours.txt", if_match=tagged.etag)
    sent = []
    replaced = client.media.replace(
        1, file["id"], bytes_ + b"!", name="a.txt", on_progress=lambda *now: sent.append(now)
    )
    assert (replaced["address"], replaced["size"]) == (file["address"], file["size"] + 1)
    assert sent[-1][0] == sent[-1][1]
    assert client.media.delete(1, file["id"])["id"] == file["id"]
    with pytest.raises(NotFound):
        client.media.get(1, file["id"])


def test_a_rendition_has_a_signed_address(client, address, bytes_, file):
    photo = client.media.upload(1, saved(plain((400, 300), tuple(bytes_[:3])), "PNG"), name="photo.png", copy=True).file
    tagged = client.with_etags.media.rendition(1, photo["id"], w=222, h=111, fit="cover", format="webp", q=40)
    picture = httpx.get(f"{address}/media/sites/1/{tagged.value['address'].removeprefix('@/')}")
    assert (Image.open(io.BytesIO(picture.content)).size, picture.headers["Content-Type"]) == ((222, 111), "image/webp")
    with pytest.raises(NotModified):
        client.media.rendition(
            1, photo["id"], w=222, h=111, fit="cover", format="webp", q=40, if_none_match=tagged.etag
        )
    with pytest.raises(BadRequest) as caught:
        client.media.rendition(1, file["id"], w=222)
    assert caught.value.code == "not_a_picture"


def test_uses_come_in_pages(client, file):
    text = f'<img src="{file["address"]}">'
    made = sorted(client.contents.create(1, 11, {"title": "Hours", "content": text})["id"] for _ in range(3))
    first = client.media.uses(1, file["id"], top=2)
    second = client.media.uses(1, file["id"], cursor=first.next_cursor)
    assert [use["id"] for use in [*first, *second]] == made
    assert first[0] == {"source": "content.body", "id": made[0], "channelId": 11}
    assert second.next_cursor is None and second.is_complete
    for number in made:
        client.contents.delete(1, 11, number)
