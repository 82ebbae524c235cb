from dataclasses import replace
from typing import Any

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.reading.expressions import LARGEST, check_schema, read_order
from sql_sandbox.reading.rules import Reading, Rule, Rules, check_filled, not_possible, rule
from sql_sandbox.reading.tokens import MAX_NAME
from sql_sandbox.refusals import BadSyntax, NotAllowed, shown

MAX_TEXT = 100  # characters of an item without a name


def _select(reading: Reading, node: exp.Select) -> tree.Select:
    reading.count("selects")
    tables = _common_tables(reading, node.args.get("with_"))
    items = tuple(_item(reading, one) for one in node.expressions)
    if not items:
        raise BadSyntax("A SELECT has no columns.")
    source, distinct = node.args.get("from_"), node.args.get("distinct")
    if distinct is not None:
        check_filled(distinct)
    return tree.Select(
        items=items,
        relation=source and _relation(reading, source.this),
        joins=tuple(_join(reading, one) for one in node.args.get("joins") or ()),
        where=_condition(reading, node, "where"),
        group=_group(reading, node.args.get("group")),
        having=_condition(reading, node, "having"),
        distinct=distinct is not None,
        order=read_order(reading, node.args.get("order")),
        limit=_limit(node.args.get("limit")),
        offset=_limit(node.args.get("offset")),
        tables=tables,
    )


def _condition(reading: Reading, node: exp.Select, name: str) -> tree.Expression | None:
    clause = node.args.get(name)
    return None if clause is None else reading.expression(clause.this)


def _group(reading: Reading, node: exp.Group | None) -> tuple[tree.Expression, ...]:
    if node is None:
        return ()
    check_filled(node, "expressions")
    if not node.expressions:
        raise BadSyntax("Something is missing after GROUP BY.")
    return tuple(reading.expression(one) for one in node.expressions)


def _item(reading: Reading, node: Any) -> tree.Item:
    if isinstance(node, exp.Star):
        reading.count()
        check_filled(node)
        return tree.Item(tree.Star())
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        reading.count()
        check_filled(node.this)
        check_filled(node, "this", "table", "db")
        check_schema(node)
        return tree.Item(tree.Star(node.table))
    if isinstance(node, exp.Alias):
        check_filled(node, "this", "alias")
        return tree.Item(reading.expression(node.this), alias=_name(node.args["alias"]))
    is_equation = isinstance(node, exp.EQ) and isinstance(node.left, exp.Column)
    if is_equation and isinstance(node.left.this, exp.Identifier) and not node.left.table:
        # T-SQL's `name = expression`.
        return tree.Item(reading.expression(node.right), alias=node.left.name)
    text = " ".join(str(node.meta.get("text", "")).split()) if node is not None else ""
    return tree.Item(reading.expression(node), text=text[:MAX_TEXT])


def _relation(reading: Reading, node: exp.Expr | None) -> tree.Relation:
    reading.count("relations")
    reading.count()
    if isinstance(node, exp.Table):
        check_filled(node, "this", "db", "alias")
        check_schema(node)
        if not isinstance(node.this, exp.Identifier):
            raise NotAllowed("Only tables and queries are allowed in FROM, not functions.")
        alias, columns = _alias(node.args.get("alias"))
        if columns:
            raise NotAllowed("Column names are allowed only after a query in FROM.")
        return tree.TableName(_name(node.this), alias, bool(node.db))
    if isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Table):
        check_filled(node, "this", "alias")
        alias, columns = _alias(node.args.get("alias"))
        return tree.Derived(reading.query(node.this), alias, columns)
    raise not_possible("joins") if isinstance(node, exp.Subquery) else BadSyntax("A table is missing after FROM.")


def _alias(node: exp.TableAlias | None) -> tuple[str, tuple[str, ...]]:
    if node is None:
        return "", ()
    check_filled(node, "this", "columns")
    return _name(node.this) if node.this else "", tuple(_name(one) for one in node.args.get("columns") or ())


def _name(node: Any) -> str:
    if not isinstance(node, exp.Identifier):
        raise NotAllowed("Only names are allowed in a list of columns.")
    if not 0 < len(node.name) <= MAX_NAME:
        raise BadSyntax(f"'{shown(node.name)}' is not a name.")  # sqlglot allows a text as a name
    return node.name


def _join(reading: Reading, node: exp.Join) -> tree.Join:
    check_filled(node, "this", "side", "kind", "on", "using")
    side, kind = node.args.get("side"), node.args.get("kind")
    relation = _relation(reading, node.this)
    on, using = node.args.get("on"), tuple(_name(one) for one in node.args.get("using") or ())
    if kind == "CROSS":
        if side or on is not None or using:
            raise BadSyntax("A CROSS JOIN has no condition.")
        return tree.Join("CROSS", relation)
    if on is None and not using:
        raise BadSyntax("A join needs ON or USING.")
    if (kind == "OUTER") > bool(side) or (kind == "INNER" and side):
        raise BadSyntax(f"{side or ''} {kind} JOIN is not a join.".strip())
    return tree.Join(side or "INNER", relation, None if on is None else reading.expression(on), using)


def _common_tables(reading: Reading, node: exp.With | None) -> tuple[tree.CommonTable, ...]:
    if node is None:
        return ()
    check_filled(node, "expressions")
    tables = []
    for table in node.expressions:
        check_filled(table, "this", "alias")
        name, columns = _alias(table.args.get("alias"))
        tables.append(tree.CommonTable(name, reading.query(table.this), columns))
    return tuple(tables)


def _set_operation(operator: str) -> Rule:
    def read(reading: Reading, node: exp.SetOperation) -> tree.Compound:
        repeats = node.args.get("distinct") is False
        if repeats and operator != "UNION":
            raise NotAllowed(f"{operator} ALL is not supported.")
        tables = _common_tables(reading, node.args.get("with_"))
        return tree.Compound(
            operator=f"{operator} ALL" if repeats else operator,  # type: ignore[arg-type]  # UNION only, see above
            left=reading.operand(node.this),
            right=reading.operand(node.expression),
            order=read_order(reading, node.args.get("order")),
            limit=_limit(node.args.get("limit")),
            offset=_limit(node.args.get("offset")),
            tables=tables,
        )

    return rule(read, "this expression distinct with_ order limit offset")


def _bracketed(reading: Reading, node: exp.Subquery) -> tree.Query:
    query = reading.operand(node.this)
    order = read_order(reading, node.args.get("order"))
    limit, offset = _limit(node.args.get("limit")), _limit(node.args.get("offset"))
    tables = _common_tables(reading, node.args.get("with_"))
    if not (order or tables) and limit is None and offset is None:
        return query
    if not query.tables and not query.order and query.limit is None and query.offset is None:
        return replace(query, order=order, limit=limit, offset=offset, tables=tables)
    reading.count("selects")
    reading.count("relations")
    items = (tree.Item(tree.Star()),)
    return tree.Select(items, tree.Derived(query), order=order, limit=limit, offset=offset, tables=tables)


_LIMIT_ARGUMENTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Limit: ("expression", "limit_options"),
    exp.Fetch: ("direction", "count", "limit_options"),
    exp.Offset: ("expression",),
}


def _limit(clause: exp.Limit | exp.Fetch | exp.Offset | None) -> int | None:
    if clause is None:
        return None
    options = clause.args.get("limit_options")
    if options is not None:
        check_filled(options, "rows")
    check_filled(clause, *_LIMIT_ARGUMENTS[type(clause)])
    node = clause.args.get("count") if isinstance(clause, exp.Fetch) else clause.expression
    if node is None and isinstance(clause, exp.Fetch):
        return 1
    while isinstance(node, exp.Paren):
        node = node.this
    text = node.name if isinstance(node, exp.Literal) and not node.is_string else ""
    if not text.isdecimal() or len(text) > 19 or int(text) > LARGEST:
        raise NotAllowed("The number of rows must be an integer literal.")
    return int(text)


QUERIES: Rules = {
    exp.Select: rule(_select, "expressions from_ joins where group having distinct order limit offset with_"),
    exp.Union: _set_operation("UNION"),
    exp.Except: _set_operation("EXCEPT"),
    exp.Intersect: _set_operation("INTERSECT"),
    exp.Subquery: rule(_bracketed, "this order limit offset with_"),
}
