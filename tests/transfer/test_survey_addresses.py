"""Addresses of files in bodies of a package, as the survey looks for them."""

from transfer.survey import _ADDRESS


def test_an_address_ends_before_the_next_one_and_has_a_bounded_length():
    assert _ADDRESS.findall('<img src="@/upload/a.jpg">@/b/@/c.pdf') == ["upload/a.jpg", "c.pdf"]
    assert _ADDRESS.findall("@/" + "x" * 501 + ".jpg") == []
