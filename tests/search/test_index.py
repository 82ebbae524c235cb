"""The index of words: it finds what the records say, at every moment, on both engines."""

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.models.expressions import RawSQL
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contents.models import Content
from events.models import Event, Numbering
from events.numbering import number_new
from media_library.models import MediaFile
from media_library.searching import with_words
from search import entries, following
from search.models import SearchEntry, SearchProgress
from search.query import match
from search.words import Words, found_in, read_words
from sites.models import Site
from tests.factories import ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def built():
    follow()
    assert not SearchProgress.objects.exclude(built_to=None).exists()


def follow():
    number_new()
    following.follow()


def add(site, title, **fields):
    path = f"upload/{'z' * (MediaFile.objects.count() + 3)}.bin"
    return MediaFile.objects.create(site=site, title=title, **{"kind": "other", "bytes": 1, "path": path} | fields)


def entries_of_media():
    return SearchEntry.objects.filter(kind="media")


def found(query, site=None):
    """The titles that the index finds, in order; it must not fall back to reading all."""
    sites = None if site is None else [site.pk]
    return sorted(rows_with(query, sites).values_list("title", flat=True))


def rows_with(query, sites=None):
    """The files that the index finds; both its ways must find the same."""
    found = match("media", read_words(query), sites)
    assert found is not None
    rows = MediaFile.objects.filter(pk__in=RawSQL(*found.ids()))
    condition, params = found.condition("media_library_mediafile.id")
    one_by_one = MediaFile.objects.extra(where=[condition], params=params)
    if sites is None:
        assert set(rows) == set(one_by_one)
    return rows


QUERIES = {
    "harb": ["Harbour lamp", "The harbour"],
    "HARBOUR the": ["The harbour"],
    "lampe": [],
    "zurich": ["Zürich See"],
    "港口": ["新港口开放", "港口"],
    "新港口开": ["新港口开放"],
    "口放": [],
    "港": ["新港口开放", "港口"],
    "ｌａｍｐ": ["Harbour lamp"],
    "1": ["Pier 1"],
    "0123": ["DSC0123"],
}


def fill(site):
    for title in ("Harbour lamp", "The harbour", "Zürich See", "新港口开放", "港口", "港 口", "Pier 1", "Pier 12"):
        add(site, title)
    add(site, "DSC0123", path="upload/images/DSC0123.jpg")


@pytest.mark.parametrize("is_followed", [True, False])
def test_finds_words_and_runs_of_ideographs(site, built, is_followed):
    fill(site)
    if is_followed:
        follow()
        assert entries_of_media().count() == 9
    wanted = {**QUERIES, "港": ["新港口开放", "港 口", "港口"]}
    assert {query: found(query, site) for query in wanted} == wanted


def test_a_text_does_not_continue_in_the_next_one(site, built):
    add(site, "新港", credit="口开")
    assert found("港口") == []
    follow()
    assert found("港口") == []
    assert found("新港 口开") == ["新港"]


def test_finds_only_what_the_sites_have(site, built):
    add(site, "harbour a")
    add(SiteFactory(), "harbour b")
    follow()
    assert found("harbour", site) == ["harbour a"]
    assert found("harbour") == ["harbour a", "harbour b"]


def test_a_change_is_found_before_and_after_it_is_followed(site, built):
    row = add(site, "harbour")
    other = add(site, "harbour too")
    follow()
    # By SQL, as programs do.
    with connection.cursor() as cursor:
        cursor.execute("UPDATE media_library_mediafile SET title = 'lighthouse' WHERE id = %s", [row.pk])
        cursor.execute("DELETE FROM media_library_mediafile WHERE id = %s", [other.pk])
    for _ in range(2):
        assert (found("harbour"), found("light")) == ([], ["lighthouse"])
        number_new()  # an event with a position that no entry follows yet
        assert (found("harbour"), found("light")) == ([], ["lighthouse"])
        follow()
    assert entries_of_media().get().subject_id == row.pk


def test_files_in_the_trash_have_no_entry(site, built):
    add(site, "harbour")
    follow()
    MediaFile.objects.update(trashed_at="2026-11-30 09:00")
    assert found("harbour") == []
    follow()
    assert not entries_of_media().exists()
    MediaFile.objects.update(trashed_at=None)
    follow()
    assert found("harbour") == ["harbour"]


def test_files_of_before_get_entries_in_steps(site, monkeypatch):
    monkeypatch.setattr(following, "_RECORDS", 2)
    for number in range(5):
        add(site, f"harbour {number}")
    SearchEntry.objects.create(kind="media", subject_id=10**9, words="_media")
    number_new()
    Event.objects.all().delete()
    assert [following.step("media") for _ in range(4)] == [2, 2, 1, 0]
    assert len(found("harbour")) == entries_of_media().count() == 5


def test_until_it_is_built_the_texts_themselves_are_read(site, monkeypatch):
    add(site, "lighthouse")
    assert match("media", read_words("light")) is None
    assert with_words(MediaFile.objects.listed(), "light").count() == 1
    assert with_words(MediaFile.objects.listed(), "harbour").count() == 0


@pytest.mark.parametrize("cause", ["events are gone", "another form of entries"])
def test_it_is_built_again_when_it_cannot_follow(site, built, monkeypatch, cause):
    add(site, "harbour")
    follow()
    if cause == "events are gone":
        MediaFile.objects.update(title="pier")
        number_new()
        Event.objects.all().delete()
        numbering = Numbering.objects.get()
        numbering.last_position += 1
        numbering.deleted_position = numbering.last_position
        numbering.save()
    else:
        monkeypatch.setattr(following, "FORM", entries.FORM + 1)
    assert match("media", read_words("pier")) is None
    follow()
    assert found(MediaFile.objects.get().title) == [MediaFile.objects.get().title]


def test_a_search_follows_many_changes_itself(site, built, monkeypatch):
    monkeypatch.setattr("search.query._MOST_READ", 3)
    for number in range(5):
        add(site, f"harbour {number}")
    assert len(found("harbour")) == 5
    assert entries_of_media().count() == 5


def test_a_search_that_cannot_write_reads_the_texts(site, built, monkeypatch):
    def fail(kind):
        raise OperationalError("database is locked")

    monkeypatch.setattr("search.query._MOST_READ", 1)
    monkeypatch.setattr("search.query.step", fail)
    for number in range(3):
        add(site, f"harbour {number}")
    assert with_words(MediaFile.objects.listed(), "harb").count() == 3


def test_a_search_begins_with_the_index(site, built):
    for number in range(50):
        add(site, f"harbour {number}")
    follow()
    with connection.cursor() as cursor:
        sql, params = match("media", read_words("harb 7"), [site.pk]).ids()
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {sql}", params)
            plan = "\n".join(line for (line,) in cursor)
            assert "Index Scan on search_words" in plan, plan
        else:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
            steps = [row[3] for row in cursor]
            assert next(step for step in steps if step.startswith("SCAN")).startswith("SCAN search_words ")
            assert "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)" in steps


def many_pairs(count):
    """A text with so many different pairs of ideographs."""
    side = int(count**0.5) + 1
    return "".join(f"{chr(0x4E00 + left)}{chr(0x6E00 + right)}" for left in range(side) for right in range(side))


def contents_with(query):
    ids, params = match("content", read_words(query)).ids()
    return list(Content.objects.extra(where=[f"id IN ({ids})"], params=params))


def test_a_text_of_too_many_words_is_followed_as_far_as_they_fit(site, built):
    content = ContentFactory(title="lighthouse", content=many_pairs(100_000))
    for _ in range(2):
        assert contents_with("lighthouse") == [content]
        follow()
    assert match("content", read_words("lighthouse")).newer == []


@pytest.mark.parametrize("before", ["海边 " * 17_000, "海边吹 " * 300], ids=["far from the beginning", "many times"])
def test_a_run_of_ideographs_is_found_wherever_it_stands(site, built, before):
    content = ContentFactory(content=f"{before}海边吹风")
    for _ in range(2):
        assert contents_with("海边吹风") == [content]
        follow()


def test_files_of_a_deleted_site_leave_the_index(site, built):
    add(site, "harbour")
    follow()
    Site.objects.filter(pk=site.pk).update(trashed_at="2026-11-30 09:00")
    follow()
    assert not SearchEntry.objects.filter(kind="media").exists()
    Site.with_trash.filter(pk=site.pk).update(trashed_at=None)
    follow()
    assert found("harbour") == ["harbour"]


def test_a_kind_that_fails_holds_up_no_other(site, built, monkeypatch):
    add(site, "harbour")
    ContentFactory()
    number_new()

    def fail(ids):
        raise OperationalError("no space left")

    monkeypatch.setattr("contents.searching.entries", fail)
    with pytest.raises(OperationalError):
        following.follow()
    assert entries_of_media().count() == 1


def test_many_changes_are_followed_in_portions(site, built, monkeypatch):
    monkeypatch.setattr(following, "_RECORDS", 2)
    for number in range(5):
        add(site, f"harbour {number}")
    number_new()
    assert [following.step("media") for _ in range(4)] == [2, 2, 1, 0]
    assert len(found("harbour")) == 5


def test_the_command_builds_all_again(site, built, capsys):
    add(site, "harbour")
    follow()
    SearchEntry.objects.all().delete()
    assert found("harbour") == []
    call_command("rebuild_search", kind=["media"])
    assert capsys.readouterr().out == "media: 1 entries.\n"
    assert found("harbour") == ["harbour"]


HOSTILE = [
    "NEAR(harbour, 2)",
    'harbour" OR "',
    "harbour* AND NOT pier",
    "words:harbour",
    "^harbour",
    "'harbour':*",
    "a & b | !c <-> d",
    "\\' ''",
    "_media",
    "_",
    "港",
    "🚢 harbour",
    "مرفأ harbour",
    "e\u0301\u0327 \u0301",
    "\u1680\u180e\u2028 x",
    "x" * 5000,
    "word " * 3000,
    "㊗港",
    "\U000323af港",
    "ꦧꦱ ৰাজ্য",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_any_query_is_answered_alike_before_and_after_it_is_followed(site, built, query):
    add(site, "harbour pier words media", alternative_text=query[:2000], credit="港口")
    add(site, "something else")
    before = found(query, site) if read_words(query) else []
    follow()
    after = found(query, site) if read_words(query) else []
    assert before == after


LETTERS = st.sampled_from([*"aB é-_.,'*:0 9港口開かが한Жａ．🚢ß", '"', "\u0301"])
TEXTS = st.text(LETTERS, max_size=12)


def has_all(row, words):
    """Read the texts as people do: this knows no entries."""
    texts = (row.title, row.path, row.alternative_text)
    terms = [Words((word,)) for word in words.beginnings] + [Words((), (run,)) for run in words.runs]
    terms += [Words((), (), (phrase,)) for phrase in words.phrases]
    without = [Words((), (), (phrase,)) for phrase in words.without.phrases] if words.without else []
    return all(any(found_in(text, term) for text in texts) for term in terms) and not any(
        found_in(text, term) for text in texts for term in without
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(TEXTS, min_size=1, max_size=4),
    TEXTS | st.tuples(TEXTS, TEXTS, TEXTS).map('{0[0]} "{0[1]}" -{0[2]}'.format),
)
def test_the_index_and_the_records_agree(site, texts, query):
    if not (words := read_words(query)):
        return
    MediaFile.objects.all().delete()
    follow()
    for text in texts:
        add(site, text, alternative_text=texts[0])
    before = found(query)
    expected = [row.title for row in MediaFile.objects.all() if has_all(row, words)]
    follow()
    assert before == found(query) == sorted(expected)
