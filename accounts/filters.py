from core.rest.filters import BooleanFilter, FromFilter, TextFilter, ToFilter, WireFilterSet


class AccountFilters(WireFilterSet):
    user_name = TextFilter("named")
    display_name = TextFilter("displaying")
    email = TextFilter("with_email")
    mobile = TextFilter("with_mobile")
    keyword = TextFilter("matching")
    is_locked_out = BooleanFilter()
    last_activity_date_from = FromFilter("last_activity_date")
    last_activity_date_to = ToFilter("last_activity_date")


class AdministratorFilters(AccountFilters):
    creation_date_from = FromFilter("creation_date")
    creation_date_to = ToFilter("creation_date")


class UserFilters(AccountFilters):
    is_checked = BooleanFilter()
    create_date_from = FromFilter("create_date")
    create_date_to = ToFilter("create_date")
