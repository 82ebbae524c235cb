"""Administrators with a second factor, and the codes that their app shows."""

import time

import pyotp

from accounts import second_factor
from tests.accounts.signing_in import account_of

STEP = 30  # seconds
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def code_of(secret=SECRET, steps=0):
    """The code that the app shows, or one of so many steps later."""
    return pyotp.TOTP(secret).at(time.time(), counter_offset=steps)


def protected(**fields):
    """An administrator whose app has last shown a code long ago, and the recovery codes."""
    administrator = account_of("administrators", **fields)
    codes = second_factor.set_up(administrator.pk, SECRET, code_of())
    administrator.second_factor.last_step = 0
    administrator.second_factor.save()
    return administrator, codes
