"""Our own tree of a statement, which `reading` makes from sqlglot's; names as the client wrote them, unquoted."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal as OneOf

from sql_sandbox.catalogue import ValueKind

Operator = OneOf["+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "and", "or"]


@dataclass(frozen=True, slots=True)
class Literal:
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ColumnName:
    name: str
    relation: str = ""
    is_quoted: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Star:
    """Every column, of one relation or of all; only among the items of a Select."""

    relation: str = ""


@dataclass(frozen=True, slots=True)
class Unary:
    operator: OneOf["-", "not"]
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    """`||` joins texts; `+` adds or, as in T-SQL, joins."""

    operator: Operator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class IsNull:
    operand: "Expression"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    operand: "Expression"
    low: "Expression"
    high: "Expression"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """`x [NOT] LIKE pattern`, ignoring case; the pattern is texts, None for `%` and True for `_`."""

    operand: "Expression"
    pattern: tuple[str | bool | None, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InList:
    operand: "Expression"
    items: tuple["Expression", ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InQuery:
    operand: "Expression"
    query: "Query"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    query: "Query"


@dataclass(frozen=True, slots=True)
class Scalar:
    """`(SELECT …)` as a value: one column, first row."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class Case:
    """`CASE WHEN condition THEN value … ELSE otherwise END`; `CASE x WHEN y` becomes `x = y`."""

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Cast:
    """A value as another kind; unreadable values of rows become NULL."""

    operand: "Expression"
    kind: ValueKind  # INTEGER, NUMBER, TEXT or DATE
    day_only: bool = False  # cuts a DATE's time to midnight
    length: int | None = None  # cuts a TEXT, as CAST(x AS VARCHAR(10)) does
    may_fail: bool = False  # an unreadable literal is NULL, too


@dataclass(frozen=True, slots=True)
class Call:
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
    expression: "Expression"
    descending: bool = False


class Edge(Enum):
    UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
    CURRENT_ROW = "CURRENT ROW"
    UNBOUNDED_FOLLOWING = "UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class Frame:
    unit: OneOf["ROWS", "RANGE"]
    start: Edge
    end: Edge


@dataclass(frozen=True, slots=True)
class Window:
    function: "Aggregate | Call"
    partition: tuple["Expression", ...] = ()
    order: tuple[OrderItem, ...] = ()
    frame: Frame | None = None


Test = IsNull | Between | Like | InList | InQuery | Exists
Expression = Literal | ColumnName | Unary | Binary | Test | Scalar | Case | Cast | Call | Aggregate | Window


@dataclass(frozen=True, slots=True)
class TableName:
    """A table of the catalogue or a common table in scope, which has no schema."""

    name: str
    alias: str = ""
    has_schema: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Derived:
    """`(SELECT …) alias (columns)`; alias and columns may be missing."""

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
    """An item of a Select; `text` is how the client wrote it, in place of a name."""

    expression: "Expression | Star"
    alias: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class CommonTable:
    """`name (columns) AS (query)`; it sees the tables before it, never itself."""

    name: str
    query: "Query"
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT; a lone whole number in `group` or `order` means the item at that place."""

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
    """Two queries and a set operation; order and limit apply to the whole."""

    operator: OneOf["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]
    left: "Query"
    right: "Query"
    order: tuple[OrderItem, ...] = ()
    limit: int | None = None
    offset: int | None = None
    tables: tuple[CommonTable, ...] = ()


Query = Select | Compound
