"""Python client for the content management REST service and other servers with the SiteServer CMS v6 interface."""

import logging

from cms_client.accounts import AdministratorFilters, UserFilters
from cms_client.clients import AsyncClient, Client
from cms_client.contents import ContentFilters
from cms_client.copying import members_to_copy
from cms_client.errors import (
    AnswerError,
    BadRequest,
    CmsError,
    ConnectionFailed,
    IdempotencyKeyReused,
    NotFound,
    NotModified,
    NotSupported,
    OutcomeUnknown,
    PreconditionFailed,
    ServerError,
    TimedOut,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
)
from cms_client.media import MediaFilters
from cms_client.records import (
    Administrator,
    Change,
    Channel,
    Content,
    Delivery,
    FocalPoint,
    FormEntry,
    Health,
    LogEntry,
    Login,
    Media,
    Page,
    Picture,
    Rendition,
    Row,
    Rows,
    Site,
    Tagged,
    Upload,
    Use,
    User,
    Uses,
    VisitorForm,
    Webhook,
    WebhookResponse,
)
from cms_client.repeating import Retries
from cms_client.rules import Rule, all_of, any_of, not_, order, where
from cms_client.visitor_forms import EntryFilters

__version__ = "1.0.0"

__all__ = [
    "Administrator",
    "AdministratorFilters",
    "AnswerError",
    "AsyncClient",
    "BadRequest",
    "Change",
    "Channel",
    "Client",
    "CmsError",
    "ConnectionFailed",
    "Content",
    "ContentFilters",
    "Delivery",
    "EntryFilters",
    "FocalPoint",
    "FormEntry",
    "Health",
    "IdempotencyKeyReused",
    "LogEntry",
    "Login",
    "Media",
    "MediaFilters",
    "NotFound",
    "NotModified",
    "NotSupported",
    "OutcomeUnknown",
    "Page",
    "Picture",
    "PreconditionFailed",
    "Rendition",
    "Retries",
    "Row",
    "Rows",
    "Rule",
    "ServerError",
    "Site",
    "Tagged",
    "TimedOut",
    "TooLarge",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "UnexpectedAnswer",
    "Upload",
    "Use",
    "User",
    "UserFilters",
    "Uses",
    "VisitorForm",
    "Webhook",
    "WebhookResponse",
    "all_of",
    "any_of",
    "members_to_copy",
    "not_",
    "order",
    "where",
]

# Programs that configure no logging see no log lines.
logging.getLogger(__name__).addHandler(logging.NullHandler())
