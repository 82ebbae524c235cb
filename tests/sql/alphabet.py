"""What a compiled statement is made of, written down apart from the code that makes it."""

import re

from cms_api.sql_endpoint.catalogue import OPEN_BY_DEFAULT, choose_tables

TABLES = choose_tables(OPEN_BY_DEFAULT)
_NAMES = "|".join(sorted({column.name.lower() for table in TABLES for column in table.columns}))
_WORDS = """
    SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET WITH AS UNION ALL EXCEPT
    INTERSECT INNER LEFT RIGHT FULL JOIN ON AND OR NOT IN EXISTS BETWEEN IS NULL TRUE FALSE CASE WHEN THEN ELSE END
    LIKE ILIKE ESCAPE COLLATE CAST OVER PARTITION ROWS RANGE UNBOUNDED PRECEDING CURRENT ROW FOLLOWING
    INTEGER REAL TEXT text bigint integer double precision timestamp boolean json numeric EPOCH YEAR MONTH DAY
    HOUR MINUTE SECOND ABS AVG BTRIM CEILING COALESCE COUNT DATE_TRUNC DENSE_RANK EXTRACT FIRST_VALUE FLOOR GREATEST
    INSTR LAG JSON_TYPEOF LAST_VALUE LEAD LEAST LENGTH LN LOWER LTRIM MAKE_INTERVAL MAX MIN NULLIF OCTET_LENGTH
    PG_COLUMN_SIZE POSITION RANK REPLACE ROUND
    NTILE RANDOM ROW_NUMBER RTRIM SIGN SPLIT_PART STRFTIME STRPOS SUBSTR SUBSTRING SUM TO_CHAR TRIM TRUNC UPPER
"""
COMPILED = re.compile(
    rf"""(?: (?:{"|".join(_WORDS.split())}|cms_[a-z_]+)(?![A-Za-z0-9_])     # words
           | "(?:[vtqc][0-9]{{1,4}}|{_NAMES}|C)"                      # names
           | [0-9]{{1,12}}(?![A-Za-z0-9_.])                           # numbers
           | :p[0-9]{{1,4}} | %\(p[0-9]{{1,4}}\)s                     # values
           | \|\| | <> | <= | >= | >> | %% | \#>> | \#> | \[\] | [-+*/%=<>~&(),.] | [ ] )+""",
    re.VERBOSE,
)


def find_faults(compiled):
    """What is wrong with the text of the compiled statement and its parameters."""
    if not compiled.sql.startswith(("SELECT ", "WITH ")) or not COMPILED.fullmatch(compiled.sql):
        yield f"outside of the alphabet: {compiled.sql}"
    if set(re.findall(r"p[0-9]+", compiled.sql)) != set(compiled.parameters):
        yield f"other parameters than {sorted(compiled.parameters)}: {compiled.sql}"
