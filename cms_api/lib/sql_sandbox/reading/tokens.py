"""The second half of the first fence: the words and signs of a statement, by kind, before anything parses them."""

import re
from collections.abc import Callable, Container, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from cms_api.lib.sql_sandbox.reading.casts import TYPES
from cms_api.lib.sql_sandbox.reading.dialect import KEYWORDS
from cms_api.lib.sql_sandbox.reading.text import check_characters
from cms_api.lib.sql_sandbox.refusals import BadSyntax, NotAllowed, TooLarge
from cms_api.lib.sql_sandbox.wording import shown

MAX_TOKENS = 1500
MAX_BRACKETS = 24
MAX_SIGNS = 8  # of NOT, + and - in a row
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

# A hint of T-SQL behind tables that asks for what the sandbox does anyway: reading without locks.
NO_LOCK = (TokenType.L_PAREN, TokenType.VAR, TokenType.R_PAREN)

# Words of constructs that the sandbox does not have. As a column's name they need quotes.
REFUSED_WORDS = frozenset(
    """
    INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE GRANT REVOKE EXEC EXECUTE CALL DECLARE PRAGMA ATTACH DETACH
    VACUUM COPY INTO WAITFOR RETURNING LATERAL APPLY NATURAL PIVOT UNPIVOT TABLESAMPLE QUALIFY WINDOW GROUPING ROLLUP
    CUBE FILTER WITHIN COLLATE REGEXP RLIKE GLOB SIMILAR OVERLAPS VALUES ANY SOME UNNEST PERCENT TIES RECURSIVE NULLS
    STRAIGHT_JOIN SEMI ANTI ASOF OPTION PROCEDURE XOR LOCK ORDINALITY DIV ONLY
    """.split()  # noqa: SIM905 - sixty quoted words would be harder to read
)
FOR_CLAUSES = frozenset({"UPDATE", "SHARE", "XML", "JSON", "BROWSE", "NO", "KEY", "SYSTEM_TIME"})

PARAMETERS = frozenset({TokenType.PLACEHOLDER, TokenType.PARAMETER, TokenType.COLON})
WORD = re.compile(r"[^\W\d]\w*+")
NUMBER = re.compile(r"\d++(?:\.\d*+)?+(?:[eE][+-]?\d++)?+", re.ASCII)
# What may stand between two tokens: white space and plain comments, not MySQL's or a hint in one.
GAP = re.compile(r"(?>\s|--[^\n\r]*+|/\*(?![!+])[^*]*+(?:\*(?!/)[^*]*+)*+\*/)*+")


def check_tokens(text: str, tokens: Sequence[Token], functions: Container[str]) -> list[Token]:
    """The tokens that a parser may see, without semicolons around it, comments and `WITH (NOLOCK)`.

    `functions` has the upper-case names that may stand before a bracket. Raises a Refused that names the token.
    """
    if len(tokens) > MAX_TOKENS:
        raise TooLarge(f"The statement has more than {MAX_TOKENS} words and signs.")
    ends = [0, *(token.end + 1 for token in tokens)]
    for end, start in zip(ends, [*(token.start for token in tokens), len(text)], strict=True):
        if not GAP.fullmatch(text, end, start):
            raise NotAllowed(f"Only plain comments are possible here, not {shown(text[end:start])}.")
    # T-SQL's writers put a semicolon before WITH.
    places = [place for place, token in enumerate(tokens) if token.token_type != TokenType.SEMICOLON]
    checked = _without_hints(tokens[places[0] : places[-1] + 1] if places else ())
    _settle_words(checked)
    if not checked:
        raise BadSyntax("The statement is empty.")
    if checked[0].token_type not in (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN):
        raise NotAllowed(f"Only a SELECT is possible here, not {shown(checked[0].text)}.")
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


def _settle_words(tokens: Sequence[Token]) -> None:
    """Makes names of the words that are keywords at certain places only."""
    for index, token in enumerate(tokens):
        before, is_keyword = _kind(tokens, index - 1), PLACES.get(token.token_type)
        is_named = before in (TokenType.DOT, TokenType.ALIAS) and token.token_type in WORD_KINDS
        if is_named or (is_keyword and not is_keyword(before, _after(tokens, index))):
            token.token_type = TokenType.VAR


def _kind(tokens: Sequence[Token], index: int) -> TokenType:
    return tokens[index].token_type if 0 <= index < len(tokens) else TokenType.SENTINEL


def _after(tokens: Sequence[Token], index: int) -> Token:
    return tokens[index + 1] if index + 1 < len(tokens) else Token(TokenType.SENTINEL, "")


_FRAME_WORDS = frozenset({"BETWEEN", "UNBOUNDED", "CURRENT"})
_SELECTS = frozenset({TokenType.SELECT, TokenType.DISTINCT, TokenType.ALL})
# Each with what stands before it, and the token after it.
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
        raise NotAllowed("Only one statement is possible here.")
    if kind in PARAMETERS:
        raise NotAllowed(f"Parameters are not possible here: {shown(token.text + _after(tokens, index).text)}.")
    if kind not in PERMITTED:
        # A backtick is one of these: the other quoting is tried then.
        raise (BadSyntax if kind == TokenType.UNKNOWN else NotAllowed)(f"{shown(token.text)} is not possible here.")
    if kind == TokenType.COMMA and (_kind(tokens, index - 1) in _BEGINS or _after(tokens, index).token_type in _ENDS):
        raise BadSyntax("Something is missing before or behind a comma.")
    if kind in TEXTS:
        check_characters(token.text)
        if _is_glued(tokens, index, NAMES | {TokenType.NUMBER}):
            raise NotAllowed(
                f"Texts with a prefix are not possible here, but N'…': {shown(tokens[index - 1].text)}'…'."
            )
    elif kind == TokenType.NUMBER and not NUMBER.fullmatch(token.text):
        raise BadSyntax(f"{shown(token.text)} is not a number.")
    elif kind == TokenType.IDENTIFIER and not 0 < len(token.text) <= MAX_NAME:
        raise BadSyntax(f"{shown(token.text) or 'An empty text'} is not a name.")
    elif kind == TokenType.IDENTIFIER:
        check_characters(token.text)
        if _is_glued(tokens, index, _VALUES):
            raise NotAllowed(f"Elements of lists are not possible here: [{shown(token.text)}].")


def _is_glued(tokens: Sequence[Token], index: int, kinds: Container[TokenType]) -> bool:
    """Whether a token of these kinds stands directly before, without white space."""
    before = tokens[index - 1] if index else None
    return before is not None and before.token_type in kinds and before.end + 1 == tokens[index].start


_VALUES = NAMES | TEXTS | {TokenType.NUMBER, TokenType.R_PAREN}
_BEGINS = frozenset({TokenType.COMMA, TokenType.L_PAREN, TokenType.SELECT, TokenType.DISTINCT})
_ENDS = frozenset({TokenType.R_PAREN, TokenType.FROM, TokenType.WHERE, TokenType.SENTINEL, TokenType.ORDER_BY})


def _check_word(tokens: Sequence[Token], index: int, functions: Container[str]) -> None:
    token = tokens[index]
    word = token.text.upper()
    if not WORD.fullmatch(token.text) or len(token.text) > MAX_NAME:
        raise NotAllowed(f"{shown(token.text)} is not possible here.")
    if _is_glued(tokens, index, {TokenType.NUMBER}):
        raise NotAllowed(f"A number needs a space behind it: {shown(tokens[index - 1].text + token.text)}.")
    before, after = _kind(tokens, index - 1), _after(tokens, index)
    if before in (TokenType.DOT, TokenType.ALIAS):
        pass
    elif word in REFUSED_WORDS and not (word == "ONLY" and tokens[index - 1].text.upper() in ("ROW", "ROWS")):
        raise NotAllowed(f"{word} is not possible here.")
    elif word == "FOR" and after.text.upper() in FOR_CLAUSES:
        raise NotAllowed(f"FOR {after.text.upper()} is not possible here.")
    is_call = after.token_type == TokenType.L_PAREN
    if is_call and not (word in functions or _is_type(tokens, index) or _has_columns(tokens, index)):
        raise NotAllowed(f"The function {shown(token.text)} is not known here; the documentation lists the functions.")


_CONVERTS = frozenset({"CONVERT", "TRY_CONVERT"})


def _is_type(tokens: Sequence[Token], index: int) -> bool:
    """Whether the name is a type where a type may stand: after AS and `::`, in CONVERT."""
    before = _kind(tokens, index - 1)
    names = {tokens[index].text.upper(), f"{tokens[index - 1].text} {tokens[index].text}".upper()}
    if names.isdisjoint(TYPES):
        return False
    if before in (TokenType.ALIAS, TokenType.DCOLON, TokenType.COMMA, TokenType.VAR):
        return True
    return before == TokenType.L_PAREN and index > 1 and tokens[index - 2].text.upper() in _CONVERTS


def _has_columns(tokens: Sequence[Token], index: int) -> bool:
    """Whether the bracket after the name lists column names: of a derived table, or of a common one."""
    end = next((at for at in range(index + 2, len(tokens)) if tokens[at].token_type not in _LISTED), len(tokens))
    if _kind(tokens, end) != TokenType.R_PAREN:
        return False
    derived = TokenType.R_PAREN in (_kind(tokens, index - 1), _kind(tokens, index - 2))
    common = _kind(tokens, end + 1) == TokenType.ALIAS and _kind(tokens, end + 2) == TokenType.L_PAREN
    return derived or common


_LISTED = NAMES | {TokenType.COMMA}
