"""Texts that are easily damaged on their way to the database and back."""

ODD = [
    " blanks around ",
    "",
    " ",
    "🚢👩‍🚀🇨🇳",
    "שלום עולם",
    "\u202eright to left\u202c",
    "é e\u0301",
    "\u200b",
    "line\nbreak\ttab",
    "\x01\x1f\x7f",
    "%_\\'\"`;--",
    "<script>alert(1)</script>",
    "null",
    "{}",
    "\ufeff",
    "𐍈",
]
