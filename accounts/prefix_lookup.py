"""What a name, an address or a mobile begins with, found by an index on either engine and in every collation."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Lookup, Q, Value
from django.db.models.functions import Concat, Lower
from django.db.models.sql.compiler import SQLCompiler

# Comes after whatever else may follow.
_LAST = Value(chr(0x10FFFF), output_field=CharField())


class _ByBytes(Lookup):
    """Compares byte by byte, as the indexes of accounts/migrations/0010 do."""

    prepare_rhs = False
    operator, on_postgresql = "", ""

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        left, left_parameters = self.process_lhs(compiler, connection)
        right, right_parameters = self.process_rhs(compiler, connection)
        operator = self.on_postgresql if connection.vendor == "postgresql" else self.operator
        return f"{left} {operator} {right}", (*left_parameters, *right_parameters)


class _From(_ByBytes):
    operator, on_postgresql = ">=", "~>=~"


class _Before(_ByBytes):
    operator, on_postgresql = "<", "~<~"


def begins(column: str, text: str) -> Q:
    """Rows whose column begins with the text, in any letter case."""
    start = Lower(Value(text, output_field=CharField()))
    found = Q(_From(Lower(column), start)) & Q(_Before(Lower(column), Concat(start, _LAST)))
    # As the indexes say of empty ones, which are most.
    return found if column == "user_name" else found & ~Q(**{column: ""})
