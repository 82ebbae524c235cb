"""The catalogue of each language has every text of ours, and what is compiled is what is written."""

import re

import pytest

from tools import messages
from tools.messages import strings

PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd%]|\{\w*\}")


@pytest.fixture(scope="module", params=messages.locales())
def locale(request):
    return request.param


@pytest.fixture(scope="module")
def catalog(locale):
    return messages.translated(locale)


@pytest.fixture(scope="module")
def chinese():
    return messages.translated("zh_Hans")


@pytest.fixture(scope="module")
def current():
    """Every text of the code."""
    return messages.said()


def test_every_text_is_in_the_catalogue_and_none_besides(catalog, current):
    assert {(m.id, m.context) for m in current if m.id} == {(m.id, m.context) for m in catalog if m.id}


def test_every_text_is_translated(catalog):
    missing = [message.id for message in catalog if message.id and not all(strings(message))]
    assert missing == []


def test_texts_of_several_apps_mean_the_same_in_each(current):
    """Add a text to the list if one translation suits all its uses; give it a context otherwise."""
    listed = set((messages.ROOT / "tests" / "shared_messages.txt").read_text(encoding="utf-8").splitlines())
    shared = {
        longest(message.id).strip()
        for message in current
        if message.id and not message.context
        if len({path.split("/")[0] for path, _line in message.locations} - {"tools"}) > 1
    }
    assert shared - listed == set()


@pytest.mark.parametrize(
    ("text", "context", "translation"),
    [
        ("never", None, "永不过期"),
        ("never", "e-mail", "从不"),
        ("Groups", None, "角色"),
        ("Groups", "of contents", "内容组"),
        ("Add a group", None, "添加角色"),
        ("Add a group", "of contents", "添加内容组"),
    ],
)
def test_texts_of_two_meanings_have_two_translations(chinese, text, context, translation):
    assert chinese.get(text, context).string == translation


def test_no_translation_is_a_guess(catalog):
    assert [message.id for message in catalog if message.id and message.fuzzy] == []


def test_every_translation_has_the_placeholders_of_its_text(catalog):
    def placeholders(text):
        return sorted(PLACEHOLDER.findall(text))

    wrong = []
    for message in catalog:
        forms = message.id if isinstance(message.id, tuple) else (message.id,)
        allowed = [placeholders(forms[-1])]  # of every form, but for that of one thing
        for number, text in enumerate(strings(message)):
            if placeholders(text) not in ([*allowed, placeholders(forms[0])] if number == 0 else allowed):
                wrong.append(message.id)
    assert wrong == []


# The verbose names of models stay as their migrations have them; pages show other labels.
@pytest.mark.parametrize(
    "words",
    [
        *("for good", r"no more\b", r"(?i)\bbring back\b", r"(?i)e-mail", r"(?i)\bhits?\b", r"(?i)\bwithdraw(al)?\b"),
        *(
            r"\)[sd] contents?\b(?! item)",
            r"\b(?:[Yy]our|[Mm]y|[Nn]o|[Aa]ll|[Oo]nly) contents\b",
            r"\bContents [a-df-hj-z]",
        ),
    ],
)
def test_texts_use_plain_words(current, words):
    texts = [longest(message.id) for message in current if message.id]
    assert [text for text in texts if re.search(words, text)] == []


def test_the_command_would_change_nothing(locale, catalog, current):
    source = messages.source(locale)
    assert source.read_bytes() == messages.as_text(messages.brought_up_to_date(locale, current)), "Run `make messages`."
    assert source.with_suffix(".mo").read_bytes() == messages.compiled(catalog), "Run `make messages`."


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
