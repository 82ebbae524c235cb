"""Forms with one file: odd and hostile ones are refused with a sentence, and none is kept whole in memory."""

import gc
import io
import resource

import pytest
from django.http import UnreadablePostError
from django.test import RequestFactory

from core.lib.errors import ServiceError
from core.uploads.form import read_file
from tests.accounts.forms import BOUNDARY, FORM, file_part, form, text_part
from tests.assertions import assert_error

LIMIT = 1000


def read(body, content_type=FORM, **more):
    request = RequestFactory().generic("POST", "/", body, content_type, **more)
    return read_file(request, max_bytes=LIMIT)


def refusal(body, content_type=FORM, **more):
    with pytest.raises(ServiceError) as refused:
        read(body, content_type, **more)
    return refused.value.code


def test_the_bytes_of_the_file_are_read():
    everything = bytes(range(256)) * 3 + b"\r\n--" + BOUNDARY.encode()[:-1] + b"\r\n"
    assert read(form(text_part("a", "b"), file_part(everything), text_part("c", "d"))) == everything


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n", b""])
def test_what_follows_the_form_is_ignored(line_end):
    assert read(form(file_part(b"x")) + line_end + b"epilogue") == b"x"


def test_base64_is_read():
    assert read(form(file_part(b"aGFyYm91cg==", more="Content-Transfer-Encoding: base64\r\n"))) == b"harbour"


def test_as_many_bytes_as_allowed_are_read_and_one_more_is_refused():
    assert len(read(form(file_part(bytes(LIMIT))))) == LIMIT
    assert refusal(form(file_part(bytes(LIMIT + 1)))) == "file_too_large"


def test_the_limit_counts_the_file_and_not_the_texts():
    assert read(form(text_part("a", "b" * 5000), file_part(b"x"))) == b"x"


@pytest.mark.parametrize(
    "parts",
    [[file_part(bytes(500_000))], [file_part(b"x"), file_part(b"second")], [text_part("a", "b")] * 1300],
)
def test_a_form_is_read_to_its_end_although_it_is_refused(parts):
    # Else the server would close the connection on a client that is still sending.
    body = io.BytesIO(form(*parts, text_part("a", "b" * 1_000_000)))
    request = RequestFactory().generic("POST", "/", body.getvalue(), FORM)
    request._stream = body
    with pytest.raises(ServiceError):
        read_file(request, max_bytes=LIMIT)
    assert body.read() == b""


def test_little_of_a_large_file_is_kept(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000_000
    body = form(file_part(bytes(50_000_000)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert refusal(body) == "file_too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # kilobytes: the stream's own copy


@pytest.mark.parametrize("parts", [[file_part(bytes(LIMIT + 1))], [file_part(b"x"), file_part(b"y")], []])
def test_a_refused_form_leaves_no_circle(parts):
    request = RequestFactory().generic("POST", "/", form(*parts), FORM)

    def refused():
        try:
            read_file(request, max_bytes=LIMIT)
        except ServiceError:
            return True

    gc.collect()
    gc.disable()
    try:
        assert refused()
        assert gc.collect() == 0
    finally:
        gc.enable()


MALFORMED = [
    (b"", "file_expected"),
    (b"x", "file_expected"),
    (b"--" + BOUNDARY.encode() + b"--\r\n", "file_expected"),
    (b"--" + BOUNDARY.encode() + b"\r\n\r\n\r\n", "file_expected"),
    (form(b"\r\n\r\nno header"), "file_expected"),
    (form(b"Content-Type: image/png\r\n\r\nx"), "file_expected"),
    (form(b'Content-Disposition: form-data; filename="a"\r\n\r\nx'), "file_expected"),
    (form(b'Content-Disposition: form-data; name="\xff\xfe"; filename="a"\r\n\r\n'), "file_expected"),
    (form(b"Content-Disposition: form-data; " + b"x" * 20_000 + b"\r\n\r\nx"), "body_unreadable"),
    (form(file_part(b"x", more="Content-Transfer-Encoding: base64\r\n")), "body_unreadable"),
    (form(file_part(b"x"), file_part(b"y")), "one_file_expected"),
    (form(file_part(b"")), "file_empty"),
    (form(*[text_part("a", "b")] * 500, file_part(b"")), "file_empty"),
    (form(*[text_part("a", "b")] * 1300, file_part(b"x")), "one_file_expected"),
    (form(file_part(b"x"), *[text_part("a", "b")] * 1300), "one_file_expected"),
]


@pytest.mark.parametrize(("body", "code"), MALFORMED)
def test_a_malformed_form_is_refused(body, code):
    assert refusal(body) == code


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        ("multipart/form-data", "body_unreadable"),
        ("multipart/form-data; boundary=", "body_unreadable"),
        ("multipart/form-data; boundary=" + "x" * 300, "body_unreadable"),
        ("multipart/form-data; boundary=é", "body_unreadable"),
        ("application/json", "file_expected"),
        ("multipart/form-data-too; boundary=" + BOUNDARY, "file_expected"),
    ],
)
def test_a_content_type_without_a_boundary_is_refused(content_type, code):
    assert refusal(form(file_part(b"x")), content_type) == code


@pytest.mark.parametrize("media_type", ["Multipart/Form-Data", "MULTIPART/FORM-DATA ", "multipart/form-data\t"])
def test_the_media_type_is_read_in_any_letter_case(media_type):
    assert read(form(file_part(b"x")), f"{media_type};  Boundary={BOUNDARY}") == b"x"


@pytest.mark.parametrize("charset", ["hex", "utf-16", "base64", "rot13", "nonsense", "utf-7"])
def test_the_charset_of_a_form_does_not_matter(charset):
    body = form(text_part("a", "b"), file_part(b"x", content_type=f"image/png; charset={charset}"))
    assert read(body, f"{FORM}; charset={charset}") == b"x"


@pytest.mark.parametrize("length", ["-1", "x", "0"])
def test_an_impossible_length_is_refused(length):
    assert refusal(form(file_part(b"x")), CONTENT_LENGTH=length) in {"file_expected", "body_unreadable"}


def test_a_length_above_the_limit_of_bodies_is_refused_unread(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 500
    assert refusal(form(file_part(bytes(600)))) == "body_too_large"
    assert refusal(b"x", CONTENT_LENGTH="99999999999999999999") == "body_too_large"


def test_a_body_that_breaks_off_is_unreadable():
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise OSError("The connection is lost.")

    request = RequestFactory().post("/", form(file_part(b"x")), FORM)
    request._stream = Broken()
    with pytest.raises(UnreadablePostError):
        read_file(request, max_bytes=LIMIT)


@pytest.mark.django_db
def test_other_endpoints_take_no_form(api):
    response = api.send("POST", "/api/v1/contents", form(file_part(b"x")), FORM)
    assert_error(response, 400, "body_not_object")
