"""Numbers of records in addresses."""

import pytest

from core.admin.numbers import read_number, read_numbers

NUMBERS = {
    "7": 7,
    "007": 7,
    "999999999999999999": 999_999_999_999_999_999,
    "": None,
    None: None,
    "-7": None,
    "7.0": None,
    "7 ": None,
    "٧": None,
    "²": None,
    "x": None,
    "1000000000000000000": None,  # no engine has such a number for certain
    "9" * 5000: None,
}


@pytest.mark.parametrize("text,number", NUMBERS.items(), ids=lambda value: repr(value)[:20])
def test_a_number_is_what_a_record_could_have(text, number):
    assert read_number(text) == number


def test_of_a_list_whatever_is_no_number_is_passed_over():
    assert read_numbers("7,x,,8,٧") == [7, 8]
    assert read_numbers("") == []


@pytest.mark.parametrize("page", ["apikeys/apikey", "contents/content", "accounts/administrator"])
@pytest.mark.parametrize("number", ["9" * 30, "٧", "x", "-1"])
def test_a_record_of_no_number_is_not_found(highest, page, number):
    assert highest.get(f"/admin/{page}/{number}/change/").status_code == 404
