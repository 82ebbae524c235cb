"""The text of a body that is searched and shown."""

import pytest

from search.plain_text import plain_text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<p>At the</p><p>quay</p>", "At the quay"),
        ("har<b>bou</b>r, <a href='/x'>open</a>", "harbour, open"),
        ("one<br/>two<img src='@/upload/a.jpg' alt='three'>four", "one two four"),
        ("<blockquote>a</blockquote>b<BR>c", "a b c"),
        ("caf&eacute; &amp; bar&nbsp;&lt;b&gt;", "café & bar <b>"),
        ("Tom & Ann, 3 < 5, 7 > 2", "Tom & Ann, 3 < 5, 7 > 2"),
        ("<!-- a -- b -->c<script>if (a < b) {}</script>d<style>p {}", "c d"),
        ("<" * 10_000 + "quay", "<" * 10_000 + "quay"),
        ("<script>" * 10_000, ""),
        ("", ""),
    ],
)
def test_the_text_of_a_body(body, words):
    assert plain_text(body).split() == words.split()
