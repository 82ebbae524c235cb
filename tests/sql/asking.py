"""Statements sent through the whole box, and what came of them."""

import re
from dataclasses import dataclass

from django.db import connection

from cms_api.sql_endpoint.sandbox import Window, run_statement
from sql_sandbox.refusals import BY_CODE, Busy, Refused, Unavailable
from tests.sql.world import MACHINE, found_in

# Codes that say why a statement is not carried out; the others say that the sandbox does not work.
CODES = BY_CODE.keys() - {Busy.code, Unavailable.code}
# Of a statement that was refused before the database had seen anything of it.
EARLY_CODES = {"sql_not_allowed", "sql_syntax", "sql_too_large"}
_ENGINES_WORDS = re.compile(
    'sqlite|psycopg|postgres|sqlglot|traceback|at or near|syntax error|no such|relation "|expecting|unexpected token|'
    "permission denied|authoriz|does not exist|operator does|invalid input|django_|accounts_|apikeys_|contents_|"
    "channels_app|cms_sites"
)


MAX_MESSAGE = 300
# What the readers say when a guard of the engine has stopped what the compiler should have refused.
_GUARDS = ("The statement uses something that is not open to statements.", "Only reading is allowed.")


@dataclass(frozen=True)
class Outcome:
    """The rows as text, or a refusal."""

    rows: str = ""
    code: str = ""
    message: str = ""
    truncated: str = ""

    @property
    def is_refused(self):
        return bool(self.code)


def ask(statement, site_ids=None, **window):
    """What comes of the statement with a key for these sites; whatever is not a Refused is raised."""
    try:
        answer = run_statement(statement, site_ids, Window(**window))
    except Refused as refused:
        return Outcome(code=refused.code, message=refused.message)
    return Outcome(rows=answer.rows.decode(), truncated=answer.truncated)


def find_fault(outcome, statement, unwanted):
    """What is wrong with the outcome, whatever the statement: empty if nothing is."""
    text = outcome.rows + outcome.message
    if leaked := found_in(text, unwanted | MACHINE, statement):
        return f"leaked {leaked}: {text[:300]}"
    if not outcome.is_refused:
        return ""
    if outcome.code not in CODES or outcome.message in _GUARDS:
        return f"{outcome.code}: {outcome.message}"
    return _fault_of_message(outcome.message, statement.lower())


def _fault_of_message(message, said):
    words = {word for word in _ENGINES_WORDS.findall(message.lower()) if word not in said}
    if words or not message.endswith(".") or not message.isprintable() or len(message) > MAX_MESSAGE:
        return f"a message for nobody, {words}: {message}"
    return ""


def is_sqlite():
    """Whether the tests run on SQLite."""
    return connection.vendor == "sqlite"
