"""Records as they travel, under the interface's names, as this service answers them whole.

Other servers may leave members out, and so does a list whose `fields` names others. Custom fields are further members:
`record.get("myField")` is known to type checkers as an object.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, TypeVar, overload

T = TypeVar("T")
Row = dict[str, Any]


class Content(TypedDict):
    """One content of a channel; dates are texts of the form `2026-03-01 09:30:00`."""

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
    """One channel; `children` are the channels below it, each with its own."""

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
    """One site; `attributes` are its settings."""

    id: int
    siteDir: str
    siteName: str
    tableName: str
    isRoot: bool
    parentId: int
    taxis: int
    attributes: dict[str, Any]


class Account(TypedDict):
    """What administrators and users have in common; `password` and `passwordSalt` open nothing."""

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
    """One administrator."""

    creationDate: str
    creatorUserName: str
    siteIdCollection: str
    siteId: int
    departmentId: int
    areaId: int


class User(Account):
    """One user, a member of the sites."""

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


class LogEntry(TypedDict):
    """What was noted of a user."""

    id: int
    userName: str
    ipAddress: str
    addDate: str
    action: str
    summary: str


class Health(TypedDict):
    """Whether a server is ready: `ready` or `degraded`, with its probes for those who may see them."""

    status: str
    probes: NotRequired[list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Page(Sequence[T]):
    """A sequence of records of a list, and how many match in all: None if that was not counted."""

    records: list[T]
    total: int | None = None
    next_cursor: str | None = None
    # Whether the server knows cursors at all; on the last page, next_cursor is None all the same.
    by_cursor: bool = False

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
class Tagged(Generic[T]):
    """An answer with the ETag of the record as it is now; None from servers that give none."""

    value: T
    etag: str | None


@dataclass(frozen=True, slots=True)
class Login(Generic[T]):
    """Who has signed in, with a token that shows it to the server."""

    record: T
    access_token: str = field(repr=False)
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class Picture:
    """A captcha as it was drawn; `cookie` ties the answer to it."""

    name: str
    png: bytes = field(repr=False)
    cookie: str = field(repr=False)


class Rows(list[Row]):
    """Rows of a statement; `is_truncated` where the server has kept back more than its limit allows."""

    is_truncated: bool = False
