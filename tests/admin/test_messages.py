"""The Chinese catalogue has every text of ours, and what is compiled is what is written."""

import re

import pytest

from tests import messages
from tests.messages import strings

PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd%]|\{\w*\}")


@pytest.fixture(scope="module")
def catalog():
    found = messages.translated()
    assert len(found) > 0
    return found


@pytest.fixture(scope="module")
def current():
    """The catalogue as the command would write it: every text of the code, read once."""
    return messages.brought_up_to_date()


def test_every_text_is_in_the_catalogue_and_none_besides(catalog, current):
    assert {(m.id, m.context) for m in current} == {(m.id, m.context) for m in catalog}, "Run `make messages`."


def test_every_text_is_translated(catalog):
    missing = [message.id for message in catalog if message.id and not all(strings(message))]
    assert missing == []


def test_no_translation_is_a_guess(catalog):
    assert [message.id for message in catalog if message.id and message.fuzzy] == []


def test_every_translation_has_the_placeholders_of_its_text(catalog):
    wrong = [
        message.id
        for message in catalog
        if message.id
        for text in strings(message)
        if sorted(PLACEHOLDER.findall(text)) != sorted(PLACEHOLDER.findall(longest(message.id)))
    ]
    assert wrong == []


# The verbose names of models stay as their migrations have them; pages show other labels.
@pytest.mark.parametrize("words", ["for good", r"no more\b", r"(?i)\bbring back\b", r"\)[sd] contents?\b(?! item)"])
def test_texts_use_plain_words(catalog, words):
    texts = [longest(message.id) for message in catalog if message.id]
    assert [text for text in texts if re.search(words, text)] == []


def test_what_is_compiled_is_what_is_written(catalog):
    assert messages.COMPILED.read_bytes() == messages.compiled(catalog), "Run `make messages`."


def test_the_source_is_as_the_command_writes_it(current):
    assert messages.SOURCE.read_bytes() == messages.as_text(current), "Run `make messages`."


def longest(identity):
    """The text, or the plural one, which has the placeholder of the number."""
    return identity[1] if isinstance(identity, tuple) else identity


def test_templates_are_read_like_python(tmp_path):
    template = tmp_path / "page.html"
    template.write_text(
        '<p title="{% translate "One" %}">\n   '
        "{% blocktranslate trimmed with a=b %}\n Two\n {{ a }}{% endblocktranslate %}"
        "{% blocktranslate count n=n %}leaf{% plural %}leaves{% endblocktranslate %}"
    )
    assert [text for _, text, _, _ in messages._texts(template)] == ["One", "Two %(a)s", ("leaf", "leaves")]
