"""The first fence: checks a statement's size, characters, words and signs before it is parsed."""

import re
import unicodedata
from collections.abc import Callable, Container, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sql_sandbox.compiled import STATEMENT_CHARACTERS
from sql_sandbox.reading.grammar import KEYWORDS, TYPES
from sql_sandbox.refusals import BadSyntax, NotAllowed, TooLarge, shown

CLOSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
OPEN_CONTROLS = frozenset("\t\n\r")

MAX_TOKENS = 1500
MAX_BRACKETS = 24
MAX_SIGNS = 8  # NOT, + and - in a row
MAX_NAME = 128

TEXTS = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING})
NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
PERMITTED = frozenset(
    {
        *KEYWORDS.values(),
        *TEXTS,
        *NAMES,
        *(TokenType.NUMBER, TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA, TokenType.DOT),
        *(TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD, TokenType.DPIPE),
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
        *(TokenType.DCOLON, TokenType.DARROW),
    }
)
WORD_KINDS = frozenset(KEYWORDS.values())
SIGNS = frozenset({TokenType.NOT, TokenType.PLUS, TokenType.DASH})
OPENING = frozenset({TokenType.L_PAREN, TokenType.CASE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.END})

# T-SQL's table hint for the default here: reading without locks.
NO_LOCK = (TokenType.L_PAREN, TokenType.VAR, TokenType.R_PAREN)

# Words of constructs that the sandbox lacks. As column names they need quotes.
REFUSED_WORDS = frozenset(
    """
    INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE GRANT REVOKE EXEC EXECUTE CALL DECLARE PRAGMA ATTACH DETACH
    VACUUM COPY INTO WAITFOR RETURNING LATERAL APPLY NATURAL PIVOT UNPIVOT TABLESAMPLE QUALIFY WINDOW GROUPING ROLLUP
    CUBE FILTER WITHIN COLLATE REGEXP RLIKE GLOB SIMILAR OVERLAPS VALUES ANY SOME UNNEST PERCENT TIES RECURSIVE NULLS
    STRAIGHT_JOIN SEMI ANTI ASOF OPTION PROCEDURE XOR LOCK ORDINALITY DIV ONLY
    """.split()  # noqa: SIM905 - sixty quoted words would be harder to read
)
FOR_CLAUSES = frozenset({"UPDATE", "SHARE", "XML", "JSON", "BROWSE", "NO", "KEY", "SYSTEM_TIME"})

_VALUES = NAMES | TEXTS | {TokenType.NUMBER, TokenType.R_PAREN}
_BEGINS = frozenset({TokenType.COMMA, TokenType.L_PAREN, TokenType.SELECT, TokenType.DISTINCT})
_ENDS = frozenset({TokenType.R_PAREN, TokenType.FROM, TokenType.WHERE, TokenType.SENTINEL, TokenType.ORDER_BY})
_FRAME_WORDS = frozenset({"BETWEEN", "UNBOUNDED", "CURRENT"})
_SELECTS = frozenset({TokenType.SELECT, TokenType.DISTINCT, TokenType.ALL})
# Words that are keywords only if a condition holds for the kind before and the token after them.
PLACES: dict[TokenType, Callable[[TokenType, Token], bool]] = {
    TokenType.TOP: lambda before, after: (
        before in _SELECTS and after.token_type in (TokenType.NUMBER, TokenType.L_PAREN)
    ),
    TokenType.FIRST: lambda before, after: before == TokenType.FETCH,
    TokenType.NEXT: lambda before, after: before == TokenType.FETCH,
    TokenType.FETCH: lambda before, after: after.token_type in (TokenType.FIRST, TokenType.NEXT),
    TokenType.ROWS: lambda before, after: after.text.upper() in _FRAME_WORDS or after.token_type == TokenType.NUMBER,
    TokenType.RANGE: lambda before, after: after.text.upper() in _FRAME_WORDS,
    TokenType.LEFT: lambda before, after: after.token_type != TokenType.L_PAREN,
    TokenType.RIGHT: lambda before, after: after.token_type != TokenType.L_PAREN,
}
PARAMETERS = frozenset({TokenType.PLACEHOLDER, TokenType.PARAMETER, TokenType.COLON})
WORD = re.compile(r"[^\W\d]\w*+")
NUMBER = re.compile(r"\d++(?:\.\d*+)?+(?:[eE][+-]?\d++)?+", re.ASCII)
# White space and plain comments between tokens, but no MySQL or hint comments.
GAP = re.compile(r"(?>\s|--[^\n\r]*+|/\*(?![!+])[^*]*+(?:\*(?!/)[^*]*+)*+\*/)*+")


def check_text(text: str) -> None:
    if len(text) > STATEMENT_CHARACTERS:
        raise TooLarge(f"The statement is longer than {STATEMENT_CHARACTERS} characters.")
    _check_characters(text)


def _check_characters(text: str) -> None:
    for one in text:
        if not one.isprintable() and one not in OPEN_CONTROLS and unicodedata.category(one) in CLOSED_CATEGORIES:
            raise NotAllowed(f"The character U+{ord(one):04X} is not allowed in a statement.")


def check_tokens(text: str, tokens: Sequence[Token], functions: Container[str]) -> list[Token]:
    """Return the tokens to parse, without outer semicolons, comments and `WITH (NOLOCK)`; raise a Refused."""
    if len(tokens) > MAX_TOKENS:
        raise TooLarge(f"The statement has more than {MAX_TOKENS} words and signs.")
    ends = [0, *(token.end + 1 for token in tokens)]
    for end, start in zip(ends, [*(token.start for token in tokens), len(text)], strict=True):
        if not GAP.fullmatch(text, end, start):
            raise NotAllowed(f"Only plain comments are allowed, not {shown(text[end:start])}.")
    # T-SQL is often written with a semicolon before WITH.
    places = [place for place, token in enumerate(tokens) if token.token_type != TokenType.SEMICOLON]
    checked = _without_hints(tokens[places[0] : places[-1] + 1] if places else ())
    if not checked:
        raise BadSyntax("The statement is empty.")
    # Words that are keywords at certain places only are names elsewhere.
    for index, token in enumerate(checked):
        before, is_keyword = _at(checked, index - 1).token_type, PLACES.get(token.token_type)
        is_named = before in (TokenType.DOT, TokenType.ALIAS) and token.token_type in WORD_KINDS
        if is_named or (is_keyword and not is_keyword(before, _at(checked, index + 1))):
            token.token_type = TokenType.VAR
    if checked[0].token_type not in (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN):
        raise NotAllowed(f"Only a SELECT is allowed, not {shown(checked[0].text)}.")
    _check_nesting(checked)
    for index, token in enumerate(checked):
        _check_token(checked, index)
        if token.token_type == TokenType.VAR:
            _check_word(checked, index, functions)
        token.comments = []
    return checked


def _without_hints(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    for token in tokens:
        kept.append(token)
        last = kept[-len(NO_LOCK) :]
        if tuple(one.token_type for one in last) == NO_LOCK and last[1].text.upper() == "NOLOCK":
            del kept[-len(NO_LOCK) :]
            if kept and kept[-1].token_type == TokenType.WITH:
                del kept[-1]
    return kept


def _at(tokens: Sequence[Token], index: int) -> Token:
    return tokens[index] if 0 <= index < len(tokens) else Token(TokenType.SENTINEL, "")


def _check_nesting(tokens: Sequence[Token]) -> None:
    depth = signs = 0
    for token in tokens:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        signs = signs + 1 if token.token_type in SIGNS else 0
        if depth > MAX_BRACKETS:
            raise TooLarge(f"Brackets and CASE are nested more than {MAX_BRACKETS} deep.")
        if signs > MAX_SIGNS:
            raise TooLarge(f"More than {MAX_SIGNS} signs or NOTs follow each other.")
        if depth < 0:
            break
    if depth:
        raise BadSyntax("A bracket or a CASE is not closed, or closed twice.")


def _check_token(tokens: Sequence[Token], index: int) -> None:
    token = tokens[index]
    kind = token.token_type
    if kind == TokenType.SEMICOLON:
        raise NotAllowed("Only one statement is allowed.")
    if kind in PARAMETERS:
        raise NotAllowed(f"Parameters are not supported: {shown(token.text + _at(tokens, index + 1).text)}.")
    if kind not in PERMITTED:
        # A backtick is UNKNOWN: then the other quoting is tried.
        raise (BadSyntax if kind == TokenType.UNKNOWN else NotAllowed)(f"{shown(token.text)} is not supported here.")
    if kind == TokenType.COMMA:
        before, after = _at(tokens, index - 1), _at(tokens, index + 1)
        if before.token_type in _BEGINS or after.token_type in _ENDS:
            raise BadSyntax("Something is missing before or after a comma.")
    if kind in TEXTS:
        _check_characters(token.text)
        if _is_glued(tokens, index, NAMES | {TokenType.NUMBER}):
            raise NotAllowed(f"The prefix {shown(tokens[index - 1].text)} of a text is not supported; only N'…' is.")
    elif kind == TokenType.NUMBER and not NUMBER.fullmatch(token.text):
        raise BadSyntax(f"{shown(token.text)} is not a number.")
    elif kind == TokenType.IDENTIFIER and not 0 < len(token.text) <= MAX_NAME:
        raise BadSyntax(f"{shown(token.text) or 'An empty text'} is not a name.")
    elif kind == TokenType.IDENTIFIER:
        _check_characters(token.text)
        if _is_glued(tokens, index, _VALUES):
            raise NotAllowed(f"Elements of lists are not supported: [{shown(token.text)}].")


def _is_glued(tokens: Sequence[Token], index: int, kinds: Container[TokenType]) -> bool:
    before = tokens[index - 1] if index else None
    return before is not None and before.token_type in kinds and before.end + 1 == tokens[index].start


def _check_word(tokens: Sequence[Token], index: int, functions: Container[str]) -> None:
    token = tokens[index]
    word = token.text.upper()
    if not WORD.fullmatch(token.text) or len(token.text) > MAX_NAME:
        raise NotAllowed(f"{shown(token.text)} is not supported here.")
    if _is_glued(tokens, index, {TokenType.NUMBER}):
        raise NotAllowed(f"A number needs a space after it: {shown(tokens[index - 1].text + token.text)}.")
    before, after = _at(tokens, index - 1).token_type, _at(tokens, index + 1)
    if before in (TokenType.DOT, TokenType.ALIAS):
        pass
    elif word in REFUSED_WORDS and not (word == "ONLY" and tokens[index - 1].text.upper() in ("ROW", "ROWS")):
        raise NotAllowed(f"{word} is not supported here.")
    elif word == "FOR" and after.text.upper() in FOR_CLAUSES:
        raise NotAllowed(f"FOR {after.text.upper()} is not supported.")
    is_call = after.token_type == TokenType.L_PAREN
    if is_call and not (word in functions or _is_type(tokens, index) or _has_columns(tokens, index)):
        raise NotAllowed(
            f"The function {shown(token.text)} is not supported; the documentation lists the supported functions."
        )


def _is_type(tokens: Sequence[Token], index: int) -> bool:
    """Return whether the name is a type in the place of a type: after AS and `::`, in CONVERT."""
    before = _at(tokens, index - 1).token_type
    names = {tokens[index].text.upper(), f"{tokens[index - 1].text} {tokens[index].text}".upper()}
    if names.isdisjoint(TYPES):
        return False
    if before in (TokenType.ALIAS, TokenType.DCOLON, TokenType.COMMA, TokenType.VAR):
        return True
    return before == TokenType.L_PAREN and index > 1 and tokens[index - 2].text.upper() in ("CONVERT", "TRY_CONVERT")


def _has_columns(tokens: Sequence[Token], index: int) -> bool:
    """Return whether the brackets after the name list columns of a derived or common table."""
    listed = NAMES | {TokenType.COMMA}
    end = next((at for at in range(index + 2, len(tokens)) if tokens[at].token_type not in listed), len(tokens))
    if _at(tokens, end).token_type != TokenType.R_PAREN:
        return False
    derived = TokenType.R_PAREN in (_at(tokens, index - 1).token_type, _at(tokens, index - 2).token_type)
    common = _at(tokens, end + 1).token_type == TokenType.ALIAS and _at(tokens, end + 2).token_type == TokenType.L_PAREN
    return derived or common
