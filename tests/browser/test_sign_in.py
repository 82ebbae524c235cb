"""Signing in and out, in both languages."""

import pytest

WORDS = {"en": ("en", "Sign out"), "zh-hans": ("zh-hans", "退出")}


@pytest.mark.parametrize("language", WORDS)
def test_the_language_of_the_browser_is_spoken(visit, fill_in_sign_in, language):
    with visit(language) as page:
        fill_in_sign_in(page)
        assert page.get_attribute("html", "lang") == WORDS[language][0]
