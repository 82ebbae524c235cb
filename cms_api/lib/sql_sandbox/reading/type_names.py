"""The names of types that may stand after AS, `::` and in CONVERT, of every dialect."""

from dataclasses import dataclass

from cms_api.lib.sql_sandbox.catalogue import Kind


@dataclass(frozen=True)
class Type:
    """What a type's name means to the sandbox."""

    kind: Kind
    day_only: bool = False
    rounds: bool = False  # whether (precision, scale) may follow, and cut the number's decimals


INTEGER = Type(Kind.INTEGER)
NUMBER = Type(Kind.NUMBER)
EXACT = Type(Kind.NUMBER, rounds=True)
TEXT = Type(Kind.TEXT)
DAY = Type(Kind.DATE, day_only=True)
MOMENT = Type(Kind.DATE)

TYPES: dict[str, Type] = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "INT2", "INT4", "INT8"), INTEGER),
    **dict.fromkeys(("SIGNED", "SIGNED INTEGER", "UNSIGNED", "UNSIGNED INTEGER"), INTEGER),
    **dict.fromkeys(("FLOAT", "REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT4", "FLOAT8"), NUMBER),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC", "NUMBER"), EXACT),
    **dict.fromkeys(("VARCHAR", "NVARCHAR", "CHAR", "NCHAR", "CHARACTER", "CHARACTER VARYING", "CHAR VARYING"), TEXT),
    **dict.fromkeys(("TEXT", "NTEXT", "LONGTEXT", "STRING"), TEXT),
    "DATE": DAY,
    **dict.fromkeys(("DATETIME", "DATETIME2", "SMALLDATETIME", "TIMESTAMP"), MOMENT),
}

# The second words of the names above.
SECOND_WORDS = frozenset(name.split()[1] for name in TYPES if " " in name)
