"""Values for pages, by the attributes of the original's template tags, under the names that these have."""

from typing import Literal

from cms_client import operations
from cms_client.answers import number_of, row_of, rows_of, text_value_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Channel, Content, Row, Rows, Site
from cms_client.wire import Value

TextElement = Literal["site", "channel", "content", "value", "sqlContent"]


class Stl(Resource[D]):
    """`client.stl`: `client.stl.contents(channelIndex="news", scope="All", totalNum=3)`"""

    @operation
    def site(self, /, **attributes: Value) -> Operation[Site | None]:
        """A site, None where no site has the `siteName`."""
        return operations.get("stl", "site", read=value_of, query=attributes)

    @operation
    def sites(self, /, **attributes: Value) -> Operation[list[Site]]:
        """The sites that the key reaches."""
        return operations.get("stl", "sites", read=value_of, query=attributes)

    @operation
    def channel(self, /, **attributes: Value) -> Operation[Channel | None]:
        """A channel, None where there is none."""
        return operations.get("stl", "channel", read=value_of, query=attributes)

    @operation
    def channels(self, /, **attributes: Value) -> Operation[list[Channel]]:
        """Channels around a channel."""
        return operations.get("stl", "channels", read=value_of, query=attributes)

    @operation
    def content(self, /, **attributes: Value) -> Operation[Content | None]:
        """A content, None where there is none."""
        return operations.get("stl", "content", read=value_of, query=attributes)

    @operation
    def contents(self, /, **attributes: Value) -> Operation[list[Content]]:
        """Approved contents of channels around a channel."""
        return operations.get("stl", "contents", read=value_of, query=attributes)

    @operation
    def text(self, element: TextElement, /, **attributes: Value) -> Operation[str]:
        """One value of a site, channel, content or row as a text: the one that `type` names."""
        return operations.get("stl", element, read=text_value_of, query=attributes)

    @operation
    def address(self, /, **attributes: Value) -> Operation[str]:
        """The address of a channel or content."""
        return operations.get("stl", "a", read=text_value_of, query=attributes)

    @operation
    def count(self, /, **attributes: Value) -> Operation[int]:
        """How many approved contents there are, or with `type="Channels"` channels."""
        return operations.get("stl", "count", read=number_of, query=attributes)


class Sql(Resource[D]):
    """`client.sql`: rows of a SELECT over the tables that the original has."""

    @operation
    def rows(self, statement: str, /, **attributes: Value) -> Operation[Rows]:
        """The rows; `rows.is_truncated` where the server kept some back."""
        return operations.get("stl", "sqlContents", read=rows_of, query={**attributes, "queryString": statement})

    @operation
    def row(self, statement: str, /, **attributes: Value) -> Operation[Row | None]:
        """The first row, None without one."""
        return operations.get("stl", "sqlContent", read=row_of, query={**attributes, "queryString": statement})
