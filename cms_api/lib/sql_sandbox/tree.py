"""Our own tree of a statement: what `reading` makes of sqlglot's, and `compiling` of nothing else.

Names are as the client wrote them, quotes taken off; whatever is not in this file cannot be said.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal as OneOf

from cms_api.lib.sql_sandbox.catalogue import Kind

# ---- Expressions


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: a text, a number, NULL, or a condition (TRUE, FALSE)."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ColumnName:
    """A column, with the name of its relation if one was written, and whether its name stood in quotes."""

    name: str
    relation: str = ""
    is_quoted: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Star:
    """Every column, of one relation or of all; only among the items of a Select."""

    relation: str = ""


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x` or `NOT x`."""

    operator: OneOf["-", "not"]
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and what stands between them; `||` joins texts, `+` adds or, as in T-SQL, joins."""

    operator: OneOf["+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "and", "or"]
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class IsNull:
    """`x IS [NOT] NULL`."""

    operand: "Expression"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    """`x [NOT] BETWEEN low AND high`."""

    operand: "Expression"
    low: "Expression"
    high: "Expression"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """`x [NOT] LIKE pattern`, letter case ignored.

    The pattern is parsed: texts, with None for `%` and True for `_`; escapes are resolved.
    """

    operand: "Expression"
    pattern: tuple[str | bool | None, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InList:
    """`x [NOT] IN (a, b)`."""

    operand: "Expression"
    items: tuple["Expression", ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InQuery:
    """`x [NOT] IN (SELECT …)`."""

    operand: "Expression"
    query: "Query"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """`EXISTS (SELECT …)`; NOT stands around it."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class Scalar:
    """`(SELECT …)` as a value: one column; the first row counts."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class Case:
    """`CASE WHEN condition THEN value … ELSE otherwise END`; `CASE x WHEN y` is written with `x = y`."""

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Cast:
    """A value as another kind: INTEGER, NUMBER, TEXT or DATE. `day_only` cuts a DATE's time to midnight.

    `length` cuts a TEXT, as CAST(x AS VARCHAR(10)) does. With `may_fail` a literal that cannot be read is NULL, as
    values of rows are in any case.
    """

    operand: "Expression"
    kind: Kind
    day_only: bool = False
    length: int | None = None
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the table in `functions`, by its name there."""

    name: str
    arguments: tuple["Expression", ...] = ()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`COUNT(*)` (no operand), `COUNT([DISTINCT] x)`, SUM, AVG, MIN, MAX."""

    name: OneOf["count", "sum", "avg", "min", "max"]
    operand: "Expression | None" = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class OrderItem:
    """A sort key."""

    expression: "Expression"
    descending: bool = False


class Edge(Enum):
    """Where a window's frame begins or ends."""

    UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
    CURRENT_ROW = "CURRENT ROW"
    UNBOUNDED_FOLLOWING = "UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class Frame:
    """`ROWS` or `RANGE BETWEEN start AND end`."""

    unit: OneOf["ROWS", "RANGE"]
    start: Edge
    end: Edge


@dataclass(frozen=True, slots=True)
class Window:
    """`function OVER (PARTITION BY … ORDER BY … frame)`.

    The function is an Aggregate, or a Call of row_number, rank, dense_rank, ntile, lag, lead, first_value,
    last_value.
    """

    function: "Aggregate | Call"
    partition: tuple["Expression", ...] = ()
    order: tuple[OrderItem, ...] = ()
    frame: Frame | None = None


Expression = (
    Literal
    | ColumnName
    | Unary
    | Binary
    | IsNull
    | Between
    | Like
    | InList
    | InQuery
    | Exists
    | Scalar
    | Case
    | Cast
    | Call
    | Aggregate
    | Window
)

# ---- Relations and queries


@dataclass(frozen=True, slots=True)
class TableName:
    """A table of the catalogue, or a common table expression in scope."""

    name: str
    alias: str = ""
    # With one it is no common table.
    has_schema: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Derived:
    """`(SELECT …) alias (columns)`; the alias may be missing, the columns mostly are."""

    query: "Query"
    alias: str = ""
    columns: tuple[str, ...] = ()


Relation = TableName | Derived


@dataclass(frozen=True, slots=True)
class Join:
    """A further relation. CROSS has no condition; `using` names columns of both sides."""

    kind: OneOf["INNER", "LEFT", "RIGHT", "FULL", "CROSS"]
    relation: Relation
    on: Expression | None = None
    using: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """What a Select answers: an expression and its name; `text` is how the client wrote it, for want of a name."""

    expression: "Expression | Star"
    alias: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class CommonTable:
    """`name (columns) AS (query)`; it sees those before it, never itself."""

    name: str
    query: "Query"
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT. Without relations it has one row. `limit` and `offset` are whole numbers of the client.

    A whole number that stands alone in `group` or `order` means the item at that place.
    """

    items: tuple[Item, ...]
    relation: Relation | None = None
    joins: tuple[Join, ...] = ()
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    having: Expression | None = None
    distinct: bool = False
    order: tuple[OrderItem, ...] = ()
    limit: int | None = None
    offset: int | None = None
    tables: tuple[CommonTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Compound:
    """Two queries and a set operation; order and limit are those of the whole."""

    operator: OneOf["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]
    left: "Query"
    right: "Query"
    order: tuple[OrderItem, ...] = ()
    limit: int | None = None
    offset: int | None = None
    tables: tuple[CommonTable, ...] = ()


Query = Select | Compound
