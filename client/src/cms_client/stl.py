"""Values for pages, selected with the attributes of SiteServer CMS template tags under their original names."""

from typing import Literal

from cms_client import operations
from cms_client.answers import number_of, row_of, rows_of, text_value_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Channel, Content, Row, Rows, Site
from cms_client.wire import Value

TextElement = Literal["site", "channel", "content", "value", "sqlContent"]


class Stl(Resource[D]):
    """Operations of `client.stl`, such as `client.stl.contents(channelIndex="news", scope="All", totalNum=3)`."""

    @operation
    def site(self, /, **attributes: Value) -> Operation[Site | None]:
        """Return a site; None if no site has the `siteName`."""
        return operations.get("stl", "site", read=value_of, query=attributes)

    @operation
    def sites(self, /, **attributes: Value) -> Operation[list[Site]]:
        """Return the sites that the API key can access."""
        return operations.get("stl", "sites", read=value_of, query=attributes)

    @operation
    def channel(self, /, **attributes: Value) -> Operation[Channel | None]:
        """Return a channel; None if no channel matches."""
        return operations.get("stl", "channel", read=value_of, query=attributes)

    @operation
    def channels(self, /, **attributes: Value) -> Operation[list[Channel]]:
        """Return channels related to a channel, such as its children."""
        return operations.get("stl", "channels", read=value_of, query=attributes)

    @operation
    def content(self, /, **attributes: Value) -> Operation[Content | None]:
        """Return a content; None if no content matches."""
        return operations.get("stl", "content", read=value_of, query=attributes)

    @operation
    def contents(self, /, **attributes: Value) -> Operation[list[Content]]:
        """Return approved contents of a channel and, depending on `scope`, of related channels."""
        return operations.get("stl", "contents", read=value_of, query=attributes)

    @operation
    def text(self, element: TextElement, /, **attributes: Value) -> Operation[str]:
        """Return the value that `type` names, from a site, channel, content or row, as a string."""
        return operations.get("stl", element, read=text_value_of, query=attributes)

    @operation
    def address(self, /, **attributes: Value) -> Operation[str]:
        """Return the URL of a channel or content."""
        return operations.get("stl", "a", read=text_value_of, query=attributes)

    @operation
    def count(self, /, **attributes: Value) -> Operation[int]:
        """Return the number of approved contents, or of channels with `type="Channels"`."""
        return operations.get("stl", "count", read=number_of, query=attributes)


class Sql(Resource[D]):
    """Operations of `client.sql`: run a SELECT on the tables of SiteServer CMS."""

    @operation
    def rows(self, statement: str, /, **attributes: Value) -> Operation[Rows]:
        """Return the rows; `rows.is_truncated` is True if there are more."""
        return operations.get("stl", "sqlContents", read=rows_of, query={**attributes, "queryString": statement})

    @operation
    def row(self, statement: str, /, **attributes: Value) -> Operation[Row | None]:
        """Return the first row; None if there are no rows."""
        return operations.get("stl", "sqlContent", read=row_of, query={**attributes, "queryString": statement})
