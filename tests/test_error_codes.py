"""The table of code words is that of the source: nothing is raised that is not listed, and nothing else is listed."""

import ast
import re

import pytest
from rest_framework import exceptions

from core.rest import errors
from tests.raised_codes import COMPUTED, HANDED_ON, ROOT, raised
from tools.openapi.error_codes import ERROR_CODES, rows

# Refusals of services that only pages of the back end call; no answer of the API has them.
_OF_PAGES = """
animation_not_cropped changed_meanwhile channel_in_trash channel_in_use
copy_changed copy_target_outside copy_undo_late crop_outside
field_name_invalid field_name_taken form_being_deleted form_name_taken group_not_found
handed_in_already last_site
level_beyond media_file_missing media_files_leave media_folder_outside media_path_taken
move_unreadable name_not_found name_of_group_taken name_too_long name_unfit no_page
not_ordinary not_waiting nothing_left second_factor_code_wrong
nothing_to_revert outline_index outline_length outline_name own_account parent_site_in_trash
password_changed_meanwhile
public_at_once
reasons_missing right_gone
site_being_deleted site_folder_taken site_has_sites site_is_root sites_missing
target_not_found target_of_another_site
target_outside template_included
template_is_default template_name_taken template_not_found template_of_channels template_path_taken
too_many_channels too_many_jobs too_many_names too_much_to_copy
tree_changed version_forgotten
version_not_kept
"""
OF_PAGES = frozenset(_OF_PAGES.split())
# Written for people: begins with a capital and ends with a full stop.
SENTENCE = re.compile(r"[A-Z].* .*\.")


def statuses_by_word():
    found = {}
    for word, status, *_ in raised():
        found.setdefault(word, set()).add(status)
    return found


def test_every_word_that_is_raised_is_listed_with_its_statuses_and_no_other():
    found = {word: tuple(sorted(statuses)) for word, statuses in statuses_by_word().items() if word not in OF_PAGES}
    assert found == {word: code.statuses for word, code in ERROR_CODES.items()}


# Refusals that no single member of a request can be blamed for: of the path, and of pages of the back end.
NO_MEMBER = {
    ("channel_takes_no_contents", "create_content"),
    ("invalid_value", "_object"),  # its position is told
    *{("approved_already", "target"), ("in_channel_already", "require_new"), ("name_taken", "restore_channel")},
}


def test_a_word_comes_with_the_member_at_fault_wherever_it_is_raised():
    refused = {each for each in raised() if each.status == 400 and not re.search(r"^pages/|/admin/", each.file)}
    named = {each.word for each in refused if each.has_member}
    without = {(each.word, each.function) for each in refused if each.word in named and not each.has_member}
    assert {place for place in without if place[0] not in OF_PAGES} == NO_MEMBER


def test_the_words_of_pages_are_raised_and_apart():
    assert statuses_by_word().keys() >= OF_PAGES
    assert not OF_PAGES & ERROR_CODES.keys()


def test_a_word_is_listed_once_and_by_itself():
    assert all(code.word == word for word, code in ERROR_CODES.items())
    assert list(ERROR_CODES) == sorted(ERROR_CODES)
    assert len({code.meaning for code in ERROR_CODES.values()}) == len(ERROR_CODES)


def test_a_word_has_a_sentence_of_meaning_and_one_of_what_to_do():
    codes = ERROR_CODES.values()
    assert [code.word for code in codes if not re.fullmatch(r"[a-z]+(_[a-z]+)*", code.word)] == []
    assert [text for code in codes for text in (code.meaning, code.remedy) if not SENTENCE.fullmatch(text)] == []
    assert [text for code in codes for text in (code.meaning, code.remedy) if len(text) > 120] == []


def test_rows_are_what_documents_print():
    assert ("channel_not_found", "400, 404") in [row[:2] for row in rows()]
    assert len(rows()) == len(ERROR_CODES)


@pytest.mark.parametrize(("file", "expression"), sorted({*COMPUTED, *HANDED_ON}))
def test_a_word_that_is_worked_out_still_is(file, expression):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert expression in {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.expr)}


@pytest.mark.parametrize(
    "exception",
    [exceptions.ParseError(), exceptions.ValidationError(), exceptions.NotAcceptable(), exceptions.APIException()],
    ids=lambda exception: type(exception).__name__,
)
def test_the_framework_brings_no_words_of_its_own(exception):
    refusal = errors._as_refusal(exception)
    expected = 500 if exception.status_code == 500 else 400
    assert expected in ERROR_CODES[refusal.code].statuses
