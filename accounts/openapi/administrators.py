from accounts.filters import AdministratorFilters
from accounts.openapi.accounts import BY_ID, TAKEN, account_of, account_record, new_account
from accounts.openapi.lists import filters_of
from accounts.openapi.paths import ADMINISTRATOR_ID, ADMINISTRATORS, NO_ADMINISTRATOR
from accounts.serializers import AdministratorCreationSerializer, AdministratorSerializer
from core.openapi.describing import Body, Described, Link, Schema, paged_list_of, ref
from core.openapi.limits import default_of
from core.openapi.lists import LIST_CODES, LIST_WORDS, WINDOW
from core.openapi.schemas import date, sent

SCHEMAS: dict[str, Schema] = {
    "Administrator": account_record(
        AdministratorSerializer, creationDate=date("Time of the administrator's creation.")
    ),
    "NewAdministrator": new_account(
        AdministratorCreationSerializer, default_of("CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH")
    ),
    "AdministratorChanges": sent(AdministratorSerializer, is_change=True),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/administrators",
        id="listAdministrators",
        tag=ADMINISTRATORS,
        description=f"Lists administrators that match all filters. {LIST_WORDS}",
        success="The administrators, possibly none.",
        answer=paged_list_of(ref("Administrator")),
        parameters=(*filters_of(AdministratorFilters), *WINDOW),
        codes=LIST_CODES,
    ),
    Described(
        method="POST",
        path="/administrators",
        id="createAdministrator",
        tag=ADMINISTRATORS,
        description="Creates an ordinary administrator; use the admin to grant roles and rights.",
        success="The new administrator.",
        answer=account_of("Administrator", "The new administrator, with its id."),
        body=Body(schema=ref("NewAdministrator"), description="The administrator; userName and password are required."),
        codes={400: (*TAKEN, "missing_member", "password_too_weak")},
        links=(
            Link("getAdministrator", BY_ID, "Read the administrator by id."),
            Link("updateAdministrator", BY_ID, "Change the administrator by id."),
            Link("deleteAdministrator", BY_ID, "Delete the administrator by id."),
        ),
    ),
    Described(
        method="GET",
        path="/administrators/{id}",
        id="getAdministrator",
        tag=ADMINISTRATORS,
        description="Returns an administrator with all members of the record.",
        success="The administrator.",
        answer=account_of("Administrator", "The administrator with that id."),
        parameters=(ADMINISTRATOR_ID,),
        codes=NO_ADMINISTRATOR,
    ),
    Described(
        method="PUT",
        path="/administrators/{id}",
        id="updateAdministrator",
        tag=ADMINISTRATORS,
        description="Changes the members that are sent, except role and password. The last superuser cannot be locked.",
        success="The administrator after the change.",
        answer=account_of("Administrator", "The administrator after the change."),
        parameters=(ADMINISTRATOR_ID,),
        body=Body(
            schema=ref("AdministratorChanges"), description="The members to change, possibly none.", is_required=False
        ),
        codes={400: (*TAKEN, "last_administrator"), **NO_ADMINISTRATOR},
    ),
    Described(
        method="DELETE",
        path="/administrators/{id}",
        id="deleteAdministrator",
        tag=ADMINISTRATORS,
        description="Permanently deletes an administrator and its API keys. The last superuser who can sign in cannot "
        "be deleted.",
        success="The administrator that was deleted.",
        answer=account_of("Administrator", "The administrator that was deleted."),
        parameters=(ADMINISTRATOR_ID,),
        codes={400: ("last_administrator",), **NO_ADMINISTRATOR},
    ),
)
