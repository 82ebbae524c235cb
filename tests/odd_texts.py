"""Records with any letters that JSON can have, for tests of what survives a way through files and engines."""

from hypothesis import strategies as st

# Letters that compare, trim or take room in different ways, and those that mean something in lists and paths.
_ODD = (
    "aAäÄßẞıİiI\u0307ſſK\u212aςσΣﬁ①ａＡ\u3000\xa0\u200b\u200d\ufeff\u2028\u3164\u202e\t\n\x01\x7f"
    ",， ;'\"\\%_{}<&@/.海𝄞👩\ufdfa\u0390"
)
LETTERS = st.sampled_from(_ODD) | st.characters(codec="utf-8", exclude_characters="\0")
TEXTS = st.text(LETTERS, max_size=12) | st.builds(lambda letter, n: letter * n, LETTERS, st.integers(1, 300))
USERS = st.fixed_dictionaries(
    {"userName": TEXTS, "password": st.just("lantern-27")},
    optional={"email": TEXTS, "mobile": TEXTS, "displayName": TEXTS, "signature": TEXTS},
)
CHANNELS = st.fixed_dictionaries(
    {"channelName": TEXTS},
    optional={"indexName": TEXTS, "groupNameCollection": TEXTS, "description": TEXTS, "filePath": TEXTS}
    | dict.fromkeys(("İl", "ſ", "ß"), TEXTS),
)
CONTENTS = st.fixed_dictionaries(
    {"title": TEXTS},
    optional=dict.fromkeys(("groupNameCollection", "tags", "summary", "content", "author", "addUserName"), TEXTS),
).flatmap(
    lambda known: st.dictionaries(TEXTS, TEXTS | st.integers(-(2**70), 2**70) | st.floats(), max_size=3).map(
        lambda others: others | known
    )
)
