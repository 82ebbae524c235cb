from accounts.openapi import accounts, administrators, avatars, captchas, passwords, sign_in, user_log, users
from core.openapi.describing import joined

SCHEMAS, OPERATIONS = joined(accounts, users, avatars, user_log, administrators, passwords, sign_in, captchas)
