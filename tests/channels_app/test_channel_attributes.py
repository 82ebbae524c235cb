"""The members of a channel's settings object: names, types, defaults, what they may hold."""

import json
import time
from pathlib import Path

import pytest

from channels_app.attributes import CHANNEL_ATTRIBUTES, REGISTRY, channel_attributes
from core.lib.errors import InvalidInput

DEFAULTS = {
    "isChannelAddable": True,
    "isContentAddable": True,
    "isChannelCreatable": True,
    "isContentCreatable": True,
    "isCreateChannelIfContentChanged": True,
    "createChannelIDsIfContentChanged": "",
    "contentAttributesOfDisplay": "",
    "transType": 5,
    "transSiteId": 0,
    "transChannelIds": "",
    "transChannelNames": "",
    "transIsAutomatic": False,
    "transDoneType": 0,
    "isPreviewContents": False,
    "defaultTaxisType": "OrderByTaxisDesc",
}
SAMPLE = Path(__file__).parents[3] / "shared" / "samples" / "15-stl-channel.json"


def test_a_channel_without_settings_answers_every_member_with_its_default():
    answered = channel_attributes({})
    assert answered == DEFAULTS
    assert list(answered) == list(DEFAULTS)
    assert {name: type(value) for name, value in answered.items()} == {n: type(v) for n, v in DEFAULTS.items()}


@pytest.mark.skipif(not SAMPLE.is_file(), reason="The samples do not lie in ../shared/samples.")
def test_the_published_sample_is_answered_as_it_is():
    expected = json.loads(SAMPLE.read_text(encoding="utf-8"))["response"]["body"]["value"]["attributes"]
    assert list(channel_attributes(expected).items()) == list(expected.items())


def test_an_answer_may_be_changed_without_harm_to_the_next():
    channel_attributes({})["transType"] = 0
    assert channel_attributes({}) == DEFAULTS


@pytest.mark.parametrize("settings,changed", [
    ({"isContentAddable": False}, {"isContentAddable": False}),
    ({"isContentAddable": "False"}, {}),
    ({"isContentAddable": 0}, {}),
    ({"iscontentaddable": False}, {}),
    ({"transType": True}, {}),
    ({"transType": 0, "theme": "dark"}, {"transType": 0}),
])  # fmt: skip
def test_stored_values_count_in_their_own_type_and_spelling(settings, changed):
    assert channel_attributes(settings) == DEFAULTS | changed


@pytest.mark.parametrize("name,sent,stored", [
    ("isContentAddable", "False", False),
    ("IsContentAddable", False, False),
    ("transType", 3, 3),
    ("transType", "3", 3),
    ("transType", "parentsite", 3),
    ("transDoneType", "ReferenceContent", 3),
    ("transSiteId", "436", 436),
    ("defaultTaxisType", "orderbyadddate", "OrderByAddDate"),
    ("createChannelIDsIfContentChanged", "1,2", "1,2"),
    ("createChannelIdsIfContentChanged", "", ""),
])  # fmt: skip
def test_a_sent_value_is_read_in_the_forms_of_clients(name, sent, stored):
    value = CHANNEL_ATTRIBUTES[name.casefold()].read(sent, name)
    assert value == stored
    assert type(value) is type(stored)


TRANS_TYPES = "0 (None), 1 (SelfSite), 2 (SpecifiedSite), 3 (ParentSite), 4 (AllParentSite), 5 (AllSite)"


@pytest.mark.parametrize("name,sent,message", [
    ("isContentAddable", "perhaps", "isContentAddable must be true or false."),
    ("isContentAddable", 1, "isContentAddable must be true or false."),
    ("transType", 6, f"transType must be one of {TRANS_TYPES}."),
    ("transType", "", f"transType must be one of {TRANS_TYPES}."),
    ("transType", True, f"transType must be one of {TRANS_TYPES}."),
    ("transDoneType", -1, "transDoneType must be one of 0 (Copy), 1 (Cut), 2 (Reference), 3 (ReferenceContent)."),
    ("transSiteId", -1, "transSiteId must be an integer from 0 to 9223372036854775807."),
    ("transChannelIds", [1], "transChannelIds must be a text of at most 20000 characters."),
    ("TransChannelIds", "1" * 20_001, "TransChannelIds must be a text of at most 20000 characters."),
])  # fmt: skip
def test_a_refused_value_names_the_member_and_what_is_allowed(name, sent, message):
    with pytest.raises(InvalidInput) as caught:
        CHANNEL_ATTRIBUTES[name.casefold()].read(sent, name)
    assert caught.value.message == message


def test_the_order_of_contents_is_one_of_fifteen():
    assert len(REGISTRY.by_name["defaultTaxisType"].choices) == 15
    with pytest.raises(InvalidInput, match=r"must be one of OrderById, .*, OrderByRandom"):
        CHANNEL_ATTRIBUTES["defaulttaxistype"].read("OrderByMood", "defaultTaxisType")


def test_every_member_has_a_group_and_a_help_text():
    assert all(attribute.group and attribute.help_text.endswith(".") for attribute in REGISTRY)


def test_every_default_is_allowed():
    assert [attribute.name for attribute in REGISTRY if not attribute.fits(attribute.default)] == []


def test_two_thousand_channels_are_answered_in_a_moment():
    settings = {"isContentAddable": False, "defaultTaxisType": "OrderByAddDate", "theme": "dark"}
    start = time.process_time()
    for _ in range(2_000):
        channel_attributes(settings)
    # Some 2 ms of the processor, which others may have meanwhile.
    assert time.process_time() - start < 0.2
