"""Pages in Chinese are Chinese: whatever is said there, the words that people read and hear."""

import re
from html.parser import HTMLParser

import pytest
from django.conf import settings

from channels_app.models import Channel
from tests.admin.test_headers import pages
from tests.factories import (
    AdministratorFactory,
    ApiKeyFactory,
    ChannelFactory,
    ContentFactory,
    SiteFactory,
    UserFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
# Elements whose texts are code, or are no text.
_NOT_READ = {"script", "style", "code", "pre", "kbd", "samp", "textarea", "svg", "noscript", "template"}
_SAID = {"title", "alt", "placeholder", "aria-label", "aria-description", "label"}
_VOID = {"img", "input", "br", "hr", "meta", "link", "col", "source", "wbr", "path", "circle", "area", "track"}
_WORDS = re.compile(r"[A-Za-z]{3,}")
# What is the same in every language: names of members and settings in their spelling, addresses and patterns; the
# words of scopes, formats, encodings and products; and what the fixtures are called.
_NAMES = re.compile(
    r"(?<=：)\S+|(?<=令牌开头: )\w+|(?<=命令 )\S+"
    r"|[a-z]+[A-Z]\w*|CMS_\w+|[a-z]+(?:_\w+)+|\w+(?:[-/|,.:]+\w+)+|@/\S*|(?<!\w)/\S+|\{@?\w+\}|[(（]\w+[)）]"
    r"|\b(?:[A-Z]{2,}\w*|KiB|WebP|JSON|Lines|big5|utf-8|Word|Excel|Access|SQLite|PostgreSQL|Redis"
    r"|English|Internet Explorer|SiteServer CMS|curl|gunicorn|zip|ping|type|news|Where|Order|Channels|Contents|Media"
    r"|Forms|Administrators|Users|System|Webhook|Gone|Ctrl|Shift|Alt|Tab|Enter|Esc|administrator\d+|harriet|harbour)\b",
    re.ASCII,  # Chinese letters are none that would make one word with them
)


class Texts(HTMLParser):
    """The texts of a page that are said to be in its own language."""

    def __init__(self, page):
        super().__init__()
        self.found, self._passed_over = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        is_other = (
            named.get("lang", "zh-hans") != "zh-hans" or "data-verbatim" in named or named.get("translate") == "no"
        )
        if tag not in _VOID and (self._passed_over or tag in _NOT_READ or is_other):
            self._passed_over.append(tag)
        if not self._passed_over:
            self.found += [value for name, value in attributes if name in _SAID and value]
            if tag == "input" and named.get("type") in {"submit", "button", "reset"}:
                self.found.append(named.get("value") or "")

    def handle_endtag(self, tag):
        if self._passed_over and tag == self._passed_over[-1]:
            self._passed_over.pop()

    def handle_data(self, data):
        if not self._passed_over:
            self.found.append(data)


def english(page):
    """What a page says in English."""
    texts = (" ".join(text.split()) for text in Texts(page).found)
    return sorted({text for text in texts if _WORDS.search(_NAMES.sub("", text))})


def test_no_page_says_anything_in_english(highest):
    highest.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    site = SiteFactory(site_name="海港博物馆")
    Channel.objects.filter(pk=site.pk).update(channel_name="首页")
    content = ContentFactory(channel=ChannelFactory(site=site, channel_name="新闻"), title="灯塔", author="林")
    made = [
        content,
        content.channel,
        site,
        UserFactory(user_name="读者"),
        ApiKeyFactory(name="网站"),
        AdministratorFactory(),
    ]
    found = {}
    for place in pages({type(record): record for record in made}):
        answer = highest.get(place)
        is_page = answer["Content-Type"].startswith("text/html") and "/body/" not in place
        if is_page and (said := english(answer.content.decode())):
            found[place] = said
    assert found == {}


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<p>内容 Settings</p>", ["内容 Settings"]),
        ('<input type="submit" value="Save">', ["Save"]),
        ('<button aria-label="Close">×</button>', ["Close"]),
        ("<p>名称 <code>GET contents</code> pageSize (pageSize) API</p>", []),
        ('<p lang="en">Words</p>', []),
        ("<br><p>中文</p><img alt='A ship'>", ["A ship"]),
    ],
)
def test_english_is_found_where_people_read_or_hear_it(page, said):
    assert english(page) == said
