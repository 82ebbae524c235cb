"""Where a content's page is: in Python for answers, in SQL for Where and Order rules."""

from sites.addresses import resolve


def navigation_url(web_url: str, link_url: str, channel_id: int, content_id: int) -> str:
    """The address of the content's page: its link, or the page named by the built-in rule."""
    if link_url:
        return resolve(link_url, web_url)
    return f"{web_url}/contents/{channel_id}/{content_id}.html"


# The same text; `c` is the content and `s` its site.
NAVIGATION_URL_SQL = """
CASE WHEN c.link_url = '' THEN s.web_url || '/contents/' || c.channel_id || '/' || c.id || '.html'
     WHEN substr(c.link_url, 1, 2) = '@/' THEN s.web_url || substr(c.link_url, 2)
     WHEN substr(c.link_url, 1, 2) = '~/' THEN substr(c.link_url, 2)
     ELSE c.link_url END
""".strip()
