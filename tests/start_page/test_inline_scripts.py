"""The digests of scripts in a page are those that browsers compute."""

import base64
import hashlib

import pytest

from cms_api.start_page.documentation import digests


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("<script>a()</script>", ["a()"]),
        ("<SCRIPT>a()</SCRIPT >", ["a()"]),
        ("<script>\n a()\n</script><p><script>b('<p>')</script>", ["\n a()\n", "b('<p>')"]),
        ("<script>a()</script><script>a()</script>", ["a()"]),
        ("<script>中文</script>", ["中文"]),
        ("<script>a\r\nb\rc</script>", ["a\nb\nc"]),
        ('<script type="module">a()</script>', ["a()"]),
        ("<script type=text/javascript>a()</script>", ["a()"]),
        ('<script data-src="x">a()</script>', ["a()"]),
        ("<script></script>", [""]),
        ('<script src="a.js"></script><script defer src = a.js></script>', []),
        ('<script id="__config" type="application/json">{}</script>', []),
        ("<script type='application/ld+json'>{}</script>", []),
        ("<p>script</p>", []),
    ],
)
def test_a_script_that_would_run_has_one(page, texts):
    assert digests(page.encode()) == [digest(text) for text in texts]
