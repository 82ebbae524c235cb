from core.openapi.describing import (
    Body,
    Codes,
    Described,
    Parameter,
    Schema,
    list_of,
    paged_list_of,
    record,
    ref,
    value_of,
)
from core.openapi.limits import default_of, limit_words
from core.openapi.lists import LIST_CODES, LIST_WORDS, WINDOW
from core.openapi.schemas import ASKED_DATE, ASKED_FLAG, ASKED_ID, COUNT, FLAG, ID, TEXT, date, number, one_of, sent
from forms.api.query import MAX_WORDS, PAGE_SIZE
from forms.api.views import EntrySerializer
from forms.models import MAX_CHARACTERS, Entry, Form
from forms.siteserver7 import INPUT_TYPES
from forms.views import MAX_BYTES

_TAG = "Forms"
_SITE_ID = Parameter("siteId", "Id of the site.", ID | {"minimum": 1}, "path")
_ID = Parameter("id", "Id of the entry.", ID | {"minimum": 1}, "path")
_FORM: tuple[Parameter, ...] = (
    Parameter("siteId", "Id of the site.", ASKED_ID, is_required=True),
    Parameter("formId", "Id of the form. Default: the form of that formName.", ASKED_ID),
    Parameter(
        "formName",
        "Name of the form, in any letter case. Default: the form of that formId.",
        {"type": "string", "maxLength": 100},
    ),
)
_FORM_CODES: Codes = {
    400: ("duplicate_member", "invalid_value", "missing_member"),
    404: ("form_not_found",),
}
_NONE: Codes = {404: ("entry_not_found", "site_not_found")}
_ORDER = "Numbers that forms had in SiteServer 7 are looked up"
_TEXT: Schema = {"type": "string"}
_VALUE: Schema = {"type": ["string", "array"], "maxLength": MAX_CHARACTERS, "maxItems": 200, "items": TEXT}
_INPUT_TYPE = one_of(*sorted({"Text", *INPUT_TYPES.values()})) | {
    "description": "Kind of the input, as in SiteServer 7."
}
_SENT: Schema = {
    "type": "object",
    "properties": {
        "siteId": ASKED_ID | {"description": "Id of the site. Default: that of the query."},
        "formId": ASKED_ID | {"description": "Id of the form. Default: that of the query."},
    },
    "additionalProperties": _VALUE,
}

SCHEMAS: dict[str, Schema] = {
    "EntryState": one_of(*Entry.State.values) | {"description": "State of an entry."},
    "FormField": record(
        {
            "id": number("Id of the field."),
            "attributeName": _TEXT | {"description": "Name of the member that has its value."},
            "displayName": _TEXT | {"description": "Label for people who fill in."},
            "helpText": _TEXT | {"description": "Help for people who fill in."},
            "inputType": _INPUT_TYPE,
            "defaultValue": _TEXT | {"description": "Value that the field begins with."},
            "taxis": number("Place of the field in the form."),
            "horizontal": FLAG | {"description": "Always false; a member of SiteServer 7."},
            "items": list_of(
                record(
                    {
                        "label": _TEXT | {"description": "Words of the choice."},
                        "value": _TEXT | {"description": "Value of the choice."},
                        "selected": FLAG | {"description": "True if it is the default."},
                    }
                )
            )
            | {"description": "Choices of a menu, radio buttons or checkboxes."},
            "rules": list_of(
                record(
                    {
                        "type": _TEXT | {"description": "Name of the rule, such as Required or Email."},
                        "value": _TEXT | {"description": "Bound of the rule, if it has one."},
                        "message": _TEXT | {"description": "Own words of the mistake; empty: those of the service."},
                    }
                )
            )
            | {"description": "Rules that the service checks."},
        }
    ),
    "FormDefinition": record(
        {
            "styles": list_of(ref("FormField")) | {"description": "Fields that are shown, in order."},
            "title": _TEXT | {"description": "Title of the form, or its name."},
            "description": _TEXT | {"description": "Text above the form."},
            "successMessage": _TEXT | {"description": "Text that is shown after sending."},
            "successCallback": _TEXT | {"description": "Always empty; a member of SiteServer 7."},
            "consentText": _TEXT | {"description": "Text to agree to, by `_consent` in the entry; empty: none."},
            "isSms": FLAG | {"description": "Always false: no codes by text message."},
            "isCaptcha": FLAG | {"description": "True if the form wants a captcha."},
            "formData": {
                "type": "object",
                "additionalProperties": True,
                "description": "Default values, by the names of fields with a small first letter.",
            },
            "siteUrl": _TEXT | {"description": "Web address of the site."},
        }
    ),
    "Form": record(
        {
            "id": number("Id of the form."),
            "siteId": number("Id of its site."),
            "name": _TEXT | {"description": "Name by which templates show it."},
            "title": _TEXT | {"description": "Title for visitors; possibly empty."},
            "description": _TEXT | {"description": "Text above the form."},
            "isOpen": FLAG | {"description": "False if it takes no entries, whatever the time."},
            "opensDate": date("Time from which it takes entries; null: no limit.", never=True),
            "closesDate": date("Time from which it takes none; null: no limit.", never=True),
            "publicList": one_of(*Form.PublicList.values) | {"description": "Entries that everybody may read."},
            "createdDate": date("Time of its creation."),
            "lastModifiedDate": date("Time of its last change."),
        }
    ),
    "FormEntry": record(
        {
            "id": number("Id of the entry."),
            "guid": _TEXT | {"description": "Number that the sender got, a UUID."},
            "siteId": number("Id of the site."),
            "formId": number("Id of the form."),
            "channelId": number("Id of the channel that the page was about; 0: unknown."),
            "contentId": number("Id of the content that the page was about; 0: unknown."),
            "createdDate": date("Time at which it was sent."),
            "state": ref("EntryState") | {"description": "State that the entry has."},
            "source": one_of(*Entry.Source.values) | {"description": "How the entry came."},
            "page": _TEXT | {"description": "Path of the page; empty: unknown."},
            "consent": _TEXT | {"description": "Text that the sender agreed to."},
            "isReplied": FLAG | {"description": "True if it has a reply."},
            "replyContent": _TEXT | {"description": "Reply to the sender; possibly empty."},
            "replyDate": date("Time of the reply; null: none.", never=True),
            "replyUserName": _TEXT | {"description": "User name of the replier, or empty."},
            "values": {
                "type": "object",
                "additionalProperties": {"type": ["string", "array"], "items": _TEXT},
                "description": "Values by the names of fields; of checkboxes a list. Empty ones are missing.",
            },
        }
    ),
    "FormEntryChanges": sent(EntrySerializer, is_change=True),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/forms",
        id="listFormEntries",
        tag=_TAG,
        description=f"Lists the entries of a form that match all filters, newest first. {_ORDER} last. The answer has "
        "the members of SiteServer 7, except for the entries, whose values stand apart. Without a key, it is the "
        "public list of the form, whose entries have the listed fields as members; 404 if there is none.",
        success="The entries of the page, the number of all, and the fields of the form.",
        answer=record(
            {
                "items": list_of(ref("FormEntry")) | {"description": "The entries of the page."},
                "total": COUNT | {"description": "Number of matching entries."},
                "pageSize": COUNT | {"description": "Largest number of entries on a page."},
                "styles": list_of(ref("FormField")) | {"description": "All fields of the form."},
                "allAttributeNames": list_of(_TEXT) | {"description": "Names of all fields."},
                "listAttributeNames": list_of(_TEXT) | {"description": "Names of the fields in the public list."},
                "isReply": FLAG | {"description": "True if the public list has entries with a reply."},
                "columns": list_of(
                    record(
                        {
                            "attributeName": _TEXT | {"description": "Name of the field."},
                            "displayName": _TEXT | {"description": "Label of the field."},
                            "inputType": _INPUT_TYPE,
                            "isList": FLAG | {"description": "True in the public list."},
                        }
                    )
                )
                | {"description": "The fields as columns of a table."},
            }
        ),
        parameters=(
            *_FORM,
            Parameter("page", "Number of the page; less than 1 counts as 1. Default: 1.", ASKED_ID),
            Parameter(
                "perPage",
                f"Entries on a page, up to {limit_words('CMS_MAX_PER_PAGE')}; less than 1 counts as {PAGE_SIZE}. "
                f"Default: {PAGE_SIZE}.",
                ASKED_ID | {"maximum": default_of("CMS_MAX_PER_PAGE")},
            ),
            Parameter("state", "Only entries in this state. Default: all but spam.", one_of(*Entry.State.values)),
            Parameter(
                "word",
                f"Up to {MAX_WORDS} words, each of which occurs in a value. Default: none.",
                {"type": "string", "maxLength": 255},
            ),
            Parameter("channelId", "Only entries of pages about this channel; 0: any. Default: any.", ASKED_ID),
            Parameter("contentId", "Only entries of pages about this content; 0: any. Default: any.", ASKED_ID),
            Parameter("isReplied", "true: only with a reply; false: only without. Default: any.", ASKED_FLAG),
            Parameter(
                "guid",
                "Only the entry whose sender has this number. Default: any.",
                {"type": "string", "format": "uuid"},
            ),
            Parameter("since", "Sent at this time or later, such as 2026-11-20. Default: any.", ASKED_DATE),
            Parameter(
                "until", "Sent at this time or earlier; a date alone includes that day. Default: any.", ASKED_DATE
            ),
        ),
        codes={
            400: (*_FORM_CODES[400], "page_too_large", "query_too_slow", "site_not_found"),
            401: ("site_not_allowed",),
            404: _FORM_CODES[404],
        },
    ),
    Described(
        method="POST",
        path="/forms",
        id="submitForm",
        tag=_TAG,
        description=f"Stores what a visitor sends, from any origin and without cookies. Members are named like fields, "
        f"in any letter case; others are dropped. The service checks every value. {_ORDER} first. Spam gets the same "
        f"answer. The body has at most {MAX_BYTES:,} bytes, as JSON or as a form.",
        success="What the visitor sent, and what the service added.",
        answer={
            "type": "object",
            "required": [
                *("id", "guid", "siteId", "formId", "channelId", "contentId", "isReplied", "createdDate", "message"),
            ],
            "properties": {
                "id": _TEXT | {"description": "Number of the entry, for its sender: a UUID."},
                "guid": _TEXT | {"description": "The same number as id."},
                "siteId": number("Id of the site."),
                "formId": number("Id of the form."),
                "channelId": number("Id of the channel, if the site has it; else 0."),
                "contentId": number("Id of the content, if the site has it; else 0."),
                "isReplied": FLAG | {"description": "Always false; a member of SiteServer 7."},
                "createdDate": date("Time of this request."),
                "message": _TEXT | {"description": "Text of the form after sending."},
            },
            "additionalProperties": {"type": ["string", "array"], "items": _TEXT},
        },
        parameters=(
            Parameter("siteId", "Id of the site. Default: that of the body.", ASKED_ID),
            *_FORM[1:],
            Parameter("channelId", "Id of the channel that the page is about. Default: none.", ASKED_ID),
            Parameter("contentId", "Id of the content that the page is about. Default: none.", ASKED_ID),
        ),
        body=Body(
            schema=_SENT, description="Values by the names of fields.", form=_SENT | {"additionalProperties": _TEXT}
        ),
        codes={
            400: (*_FORM_CODES[400], "form_closed", "form_empty", "form_invalid", "form_unreadable"),
            404: _FORM_CODES[404],
            429: ("form_sent_too_often",),
        },
    ),
    Described(
        method="GET",
        path="/forms/styles",
        id="getFormStyles",
        tag=_TAG,
        description=f"Returns the fields and texts of a form, also while it is closed, as SiteServer 7 does. {_ORDER} "
        "first.",
        success="The definition of the form.",
        answer=ref("FormDefinition"),
        parameters=_FORM,
        codes=_FORM_CODES,
    ),
    Described(
        method="GET",
        path="/forms/{siteId}",
        id="listForms",
        tag=_TAG,
        description=f"Lists the forms of a site. {LIST_WORDS}",
        success="The forms.",
        answer=paged_list_of(ref("Form")),
        parameters=(_SITE_ID, *WINDOW),
        codes={**LIST_CODES, 404: ("site_not_found",)},
    ),
    Described(
        method="GET",
        path="/forms/{siteId}/entries/{id}",
        id="getFormEntry",
        tag=_TAG,
        description="Returns one entry of a form of the site, also if it is spam.",
        success="The entry.",
        answer=value_of(ref("FormEntry"), "The entry with that id."),
        parameters=(_SITE_ID, _ID),
        codes=_NONE,
    ),
    Described(
        method="PUT",
        path="/forms/{siteId}/entries/{id}",
        id="updateFormEntry",
        tag=_TAG,
        description="Replies to an entry, or changes its state. The service sends no message to the sender.",
        success="The entry after the change.",
        answer=value_of(ref("FormEntry"), "The entry after the change."),
        parameters=(_SITE_ID, _ID),
        body=Body(
            schema=ref("FormEntryChanges"), description="The members to change, possibly none.", is_required=False
        ),
        codes=_NONE,
    ),
    Described(
        method="DELETE",
        path="/forms/{siteId}/entries/{id}",
        id="deleteFormEntry",
        tag=_TAG,
        description="Deletes an entry for good; it does not go to the trash.",
        success="The entry that was deleted.",
        answer=value_of(ref("FormEntry"), "The entry that was deleted."),
        parameters=(_SITE_ID, _ID),
        codes=_NONE,
    ),
)
