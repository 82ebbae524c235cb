"""Records with the member names of the interface, as this service returns them in full.

Other servers may omit members, and so does a list with `fields`. Custom fields are additional members: type checkers
treat `record.get("myField")` as an object.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, TypeVar, overload

T = TypeVar("T")
Row = dict[str, Any]


class Content(TypedDict):
    """A content of a channel. Dates are strings such as `2026-03-01 09:30:00`."""

    id: int
    channelId: int
    siteId: int
    addUserName: str
    lastEditUserName: str
    writingUserName: str
    lastEditDate: str
    taxis: int
    groupNameCollection: str
    tags: str
    sourceId: int
    referenceId: int
    isChecked: bool
    checkedLevel: int
    hits: int
    hitsByDay: int
    hitsByWeek: int
    hitsByMonth: int
    lastHitsDate: str | None
    settingsXml: str
    title: str
    isTop: bool
    isRecommend: bool
    isHot: bool
    isColor: bool
    linkUrl: str
    addDate: str
    subTitle: str
    imageUrl: str
    videoUrl: str
    fileUrl: str
    content: str
    summary: str
    author: str
    source: str
    navigationUrl: str


class Channel(TypedDict):
    """A channel. `children` contains its child channels, each with its own `children`."""

    id: int
    channelName: str
    siteId: int
    contentModelPluginId: str
    contentRelatedPluginIds: str
    parentId: int
    parentsPath: str
    parentsCount: int
    childrenCount: int
    lastNode: bool
    isLastNode: bool
    indexName: str
    groupNameCollection: str
    taxis: int
    addDate: str
    imageUrl: str
    content: str
    contentNum: int
    filePath: str
    channelFilePathRule: str
    contentFilePathRule: str
    linkUrl: str
    linkType: str
    channelTemplateId: int
    contentTemplateId: int
    keywords: str
    description: str
    additional: dict[str, Any]
    attributes: dict[str, Any]
    children: list["Channel"]
    navigationUrl: str


class Site(TypedDict):
    """A site. `attributes` contains its settings."""

    id: int
    siteDir: str
    siteName: str
    tableName: str
    isRoot: bool
    parentId: int
    taxis: int
    attributes: dict[str, Any]


class Webhook(TypedDict):
    """A webhook. The responses that create it and rotate its secret have `secret`; `siteId` is 0 for all sites."""

    id: int
    name: str
    url: str
    siteId: int
    events: list[str]
    isOn: bool
    offReason: str
    createdDate: str
    failingSince: str | None
    offSince: str | None
    oldSecretEnds: str | None
    secret: NotRequired[str]


class WebhookResponse(TypedDict):
    """The response of a receiver to a test event; `status` is None if there was none, for the reason in `error`."""

    isDelivered: bool
    status: int | None
    error: str
    response: str
    milliseconds: int


class Delivery(TypedDict):
    """An event on its way to a receiver. `payload` is the body that is sent, `attempts` the responses so far."""

    id: int
    messageId: str
    event: str
    occurredDate: str
    state: str
    nextDate: str | None
    endedDate: str | None
    attemptCount: int
    attempts: list[Row]
    payload: str


class FocalPoint(TypedDict):
    """Fractions of width and height: the point that stays visible if a picture is cut."""

    x: float
    y: float


class Media(TypedDict):
    """A file of a site's library. `address` is for contents; `size` is in bytes, `duration` in seconds."""

    id: int
    siteId: int
    url: str
    address: str
    name: str
    path: str
    kind: str
    contentType: str
    size: int
    sha256: str
    width: int | None
    height: int | None
    duration: float | None
    title: str
    alternativeText: str
    credit: str
    focalPoint: FocalPoint | None
    tags: str
    folderId: int
    uploader: str
    createdDate: str
    lastModifiedDate: str


class VisitorForm(TypedDict):
    """A form that visitors of a site fill in. `publicList` is none, approved or replied."""

    id: int
    siteId: int
    name: str
    title: str
    description: str
    isOpen: bool
    opensDate: str | None
    closesDate: str | None
    publicList: str
    createdDate: str
    lastModifiedDate: str


class FormEntry(TypedDict):
    """An entry of a form. `values` maps names of fields to values; `guid` is the number that the sender got."""

    id: int
    guid: str
    siteId: int
    formId: int
    channelId: int
    contentId: int
    createdDate: str
    state: str
    source: str
    page: str
    consent: str
    isReplied: bool
    replyContent: str
    replyDate: str | None
    replyUserName: str
    values: dict[str, str | list[str]]


class Rendition(TypedDict):
    """The signed address of a picture in another size or format. `address` is for contents."""

    address: str
    url: str


class Use(TypedDict):
    """A text that has the address of a file: `source`, such as `content.body`, of the record with the `id`."""

    source: str
    id: int
    channelId: int | None  # of a content


class Highlight(TypedDict):
    """A piece of a member's text, also as HTML with `<mark>`, and start and end of each word in the text."""

    member: str
    text: str
    marked: str
    positions: list[list[int]]


class Found(TypedDict):
    """A content that a search found, and where."""

    content: Content
    highlights: list[Highlight]


class Suggestion(TypedDict):
    """A content with the words in its title."""

    id: int
    channelId: int
    title: str


Suggestions = list[Suggestion]


class Account(TypedDict):
    """Members that administrators and users share. `password` and `passwordSalt` are not the real credentials."""

    id: int
    userName: str
    password: str
    passwordFormat: str
    passwordSalt: str
    lastActivityDate: str | None
    countOfLogin: int
    countOfFailedLogin: int
    isLockedOut: bool
    displayName: str
    email: str
    mobile: str


class Administrator(Account):
    """An administrator of the content management system."""

    creationDate: str
    creatorUserName: str
    siteIdCollection: str
    siteId: int
    departmentId: int
    areaId: int


class User(Account):
    """A registered user of the sites, not an administrator."""

    createDate: str
    lastResetPasswordDate: str
    countOfWriting: int
    isChecked: bool
    avatarUrl: str
    organization: str
    department: str
    position: str
    gender: str
    birthday: str
    education: str
    graduation: str
    address: str
    weiXin: str
    qq: str
    weiBo: str
    interests: str
    signature: str


class Change(TypedDict):
    """A change of a content, channel, site, user, file or entry of a form; ids that do not concern it are None."""

    id: int  # a cursor: `after` accepts it
    at: str
    event: str  # subject and verb, such as `content.published`; later releases may have more
    siteId: int | None
    channelId: int | None
    contentId: int | None
    userId: int | None
    mediaId: int | None
    formId: int | None
    entryId: int | None
    version: int | None
    fields: list[str]  # names of the changed members
    isDeleted: bool  # in the trash, or deleted for good


class LogEntry(TypedDict):
    """An entry of a user's log."""

    id: int
    userName: str
    ipAddress: str
    addDate: str
    action: str
    summary: str


class Health(TypedDict):
    """Readiness of a server: `ready` or `degraded`, with its probes if the caller may see them."""

    status: str
    probes: NotRequired[list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Page(Sequence[T]):
    """A sequence of the records on one page. `total` is the number of all matches, or None if they were not counted."""

    records: list[T]
    total: int | None = None
    next_cursor: str | None = None
    # Whether the server supports cursors. `next_cursor` does not show it: it is also None on the last page.
    by_cursor: bool = False
    has_more: bool = False  # changes after `next_cursor`

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        return self.records[place]

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class FoundPage(Page[Found]):
    """A page of a search, best first. `facets` has the counts that the request asked for; otherwise it is empty.

    If `is_total_exact` is False, there are more contents than `total`. `did_you_mean` is the query with corrected
    words, if nothing was found and the server knows a better query.
    """

    facets: dict[str, Any] = field(default_factory=dict)
    is_total_exact: bool = True
    did_you_mean: str | None = None


@dataclass(frozen=True, slots=True)
class Uses(Page[Use]):
    """A page of uses of a file. `is_complete` is False while the server still searches texts: some may be missing."""

    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Upload:
    """The file of an upload. `is_existing`: the site had the same bytes, and the file is returned unchanged."""

    file: Media
    is_existing: bool


@dataclass(frozen=True, slots=True)
class Tagged(Generic[T]):
    """A result with its ETag; None if the server sends none."""

    value: T
    etag: str | None


@dataclass(frozen=True, slots=True)
class Login(Generic[T]):
    """The signed-in account, and the token that authenticates it."""

    record: T
    access_token: str = field(repr=False)
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class Picture:
    """A captcha picture. `cookie` links the answer to the picture."""

    name: str
    png: bytes = field(repr=False)
    cookie: str = field(repr=False)


class Rows(list[Row]):
    """Rows of a SQL statement. `is_truncated` is True if the statement has more rows than the server returns."""

    is_truncated: bool = False
