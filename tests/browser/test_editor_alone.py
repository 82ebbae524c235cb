"""What the editor shows of films, sounds and embedded pages, and whose drafts it offers."""

import pytest
from playwright.sync_api import expect

from tests.browser.keys import press_end
from tests.browser.plain_form import opened, plain_form

_OPEN = "(body) => document.querySelector('[data-editor]').editor.open(body)"
_VALUE = "document.querySelector('[data-editor]').editor.value"

# Addresses of this host, and such that would lead out of the files of sites.
NO_FILES = [
    "/admin/logout/",
    "/admin/logout/?a=/b.mp4",
    "/Admin/a.mp4",
    "/api/v1/actions/restart",
    "/api/v1/ping.mp4",
    "/static/a.mp4",
    "/media/avatars/aa/a.mp4",
    "/media/sites/../../admin/logout/",
    "/harbour/../admin/a.mp4",
    "/harbour/news/",
    "@/../../../admin/logout/",
    "@/upload/../../../../admin/a.mp4",
    "@/./a.mp4",
    "@/%2e%2e/%2E%2E/%2e%2e/admin/logout/",
    "@/..%2f..%2f..%2fadmin/a.mp4",
    "@/%252e%252e/a.mp4",
    r"@/..\..\..\admin\a.mp4",
    "@/%5c..%5ca.mp4",
    "@/\t../a.mp4",
]
FILES = [
    "/media/sites/1/upload/a.mp4",
    "/media/sites/2/upload/a.mp4",
    "http://desk.example/media/sites/1/upload/a.mp4",
    "/harbour/upload/a.MP4?v=2",
    "/upload/a..b.mp4",
]


@pytest.fixture
def page(chromium):
    with plain_form(chromium) as page:
        yield page


@pytest.fixture(scope="module")
def shared(chromium):
    """A page for tests that open a body of their own in it, and write nothing."""
    with plain_form(chromium) as page:
        yield page


@pytest.fixture
def asked(shared):
    """The addresses that the shared page asks for while the test lasts."""
    addresses = []

    def note(request):
        addresses.append(request.url)

    shared.on("request", note)
    yield addresses
    shared.remove_listener("request", note)


def show(page, body):
    page.evaluate(_OPEN, body)
    return page.locator(".editor-text")


@pytest.mark.parametrize("kind", ["video", "audio"])
@pytest.mark.parametrize(
    "form", ['<{0} src="@/upload/a.mp4" controls></{0}>', '<{0} controls><source src="@/upload/a.mp4"></{0}>']
)
def test_a_film_or_sound_of_the_site_has_a_player(shared, kind, form):
    body = form.format(kind)
    text = show(shared, body)
    player = text.locator(f".editor-player-{kind} {kind}")
    expect(player).to_have_attribute("src", "/media/sites/1/upload/a.mp4")
    assert player.evaluate("each => each.controls && !each.autoplay && each.preload === 'none'")
    assert "@/upload/a.mp4" in text.locator(".editor-player-name").inner_text() or "source" in body
    assert shared.evaluate(_VALUE) == body


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        ('<video src="https://films.example/a.mp4"></video>', "video", "films.example"),
        ('<video src="data:video/mp4;base64,AA" autoplay></video>', "video", "data:"),
        ('<video autoplay src="javascript:x"></video>', "video", "javascript:x"),
        ('<iframe src="//films.example/x?a=1" width="600" height="200"></iframe>', "iframe", "films.example"),
        ('<iframe src="/admin/" title="The desk"></iframe>', "iframe", "The desk"),
        ("<iframe srcdoc='<script>document.title=1</script>'></iframe>", "iframe", ""),
        ('<audio src="http://desk.example/admin/logout/"></audio>', "audio", "desk.example"),
        *((f'<video src="{address}" controls></video>', "video", address) for address in NO_FILES),
    ],
)
def test_what_is_elsewhere_is_named_and_not_loaded(shared, asked, body, kind, told):
    text = show(shared, f"<p>{body}</p>")
    stage = text.locator(f".editor-player-{kind} .editor-player-stage")
    expect(stage).to_be_visible()
    assert told in stage.inner_text()
    expect(text.locator("video, audio, iframe")).to_have_count(0)
    assert asked == []
    assert shared.evaluate(_VALUE) == f"<p>{body}</p>"


@pytest.mark.parametrize("address", NO_FILES)
def test_a_picture_that_is_no_file_of_a_site_is_named_and_not_loaded(shared, asked, address):
    text = show(shared, f'<p><img src="{address}" alt="x"></p>')
    expect(text.locator(".editor-piece")).to_be_visible()
    expect(text.locator("img[src]")).to_have_count(0)
    assert asked == []


@pytest.mark.parametrize("address", FILES)
def test_files_of_sites_are_shown_wherever_they_are_served(shared, address):
    text = show(shared, f'<p><video src="{address}"></video><img src="{address}"></p>')
    expect(text.locator("video")).to_have_attribute("src", address)
    expect(text.locator("img:not(.ProseMirror-separator)")).to_have_attribute("src", address)


def test_fifty_players_are_made_and_further_films_are_named(page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    body = "".join(f'<p><video src="@/upload/{number}.mp4" controls></video></p>' for number in range(52))
    for _ in range(2):  # the second time in place of the first
        text = show(page, body)
        expect(text.locator("video")).to_have_count(50)
        stages = text.locator(".editor-player-stage")
        assert stages.all_inner_texts() == ["@/upload/50.mp4", "@/upload/51.mp4"]
        assert page.evaluate(_VALUE) == body
        body = body.replace("/upload/", "/upload/new/").replace("/new/50", "/50").replace("/new/51", "/51")
    assert asked == []


def test_a_player_is_as_large_as_it_will_be_within_the_text(page):
    stage = show(page, '<iframe src="https://a.example/" width="300" height="200"></iframe>').locator(
        ".editor-player-stage"
    )
    assert stage.evaluate("each => [each.offsetWidth, each.offsetHeight]") == [300, 200]
    stage = show(page, '<iframe src="https://a.example/" width="5000" height="200"></iframe>').locator(
        ".editor-player-stage"
    )
    assert stage.evaluate("each => each.offsetWidth <= each.closest('.editor-text').offsetWidth")


def test_a_text_opens_at_its_beginning(page):
    show(page, "<p>Low water</p><ul><li>Rope</li></ul>")
    page.locator(".editor-text").focus()
    page.keyboard.type("At ")
    assert page.evaluate(_VALUE).startswith("<p>At Low water</p>")
    expect(page.locator("[data-tool=bullet_list]")).to_have_attribute("aria-pressed", "false")


def test_a_list_right_in_a_list_stays_so_until_something_else_stands_beside_it(page):
    body = "<ol><li>one</li><ol><li>deep</li></ol></ol>"
    show(page, body).get_by_text("deep").click()
    press_end(page)
    page.keyboard.type("er")
    assert page.evaluate(_VALUE) == "<ol><li>one</li><ol><li>deeper</li></ol></ol>"


@pytest.mark.parametrize("body", ["<p>" + "x" * 500_000 + "</p>", "<br>" * 20_001])
def test_a_very_large_text_opens_as_source_and_stays_byte_for_byte(page, body):
    text = show(page, body)
    expect(text).not_to_be_visible()
    assert page.locator(".editor-notice").inner_text().startswith("too_large")
    assert page.evaluate(_VALUE) == body


# ---- Drafts


def write(page, text):
    page.locator(".editor-text").click()
    press_end(page, "Control+End")
    page.keyboard.type(text)
    expect(page.locator(".draft-state")).not_to_be_empty()


def test_a_draft_of_a_window_that_is_open_is_not_offered_in_another(page):
    write(page, " at noon")
    other = opened(page.context)
    other.wait_for_timeout(1000)
    expect(other.locator("[data-notice=draft]")).to_have_count(0)
    write(other, " at six")
    # Each has what was written in it, and nothing of the other is lost.
    assert "noon" in page.evaluate(_VALUE)
    drafts = page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft:')).length")
    assert drafts == 2


def test_a_draft_of_a_window_that_was_closed_is_offered(page):
    other = opened(page.context)
    write(other, " at six")
    other.close()
    page.reload()
    page.locator("[data-notice=draft]").wait_for()


def test_a_draft_comes_back_in_its_own_window(page):
    write(page, " at noon")
    page.reload()
    page.locator("[data-notice=draft]").wait_for()
