"""The sign-in to the admin, and the pages of administrators, users and groups."""

from accounts.admin import administrators, groups, sign_in, start, users

# Each registers its pages, or its panel of the start page.
__all__ = ["administrators", "groups", "sign_in", "start", "users"]
