"""Names and paths of strangers in what commands print."""


def on_one_line(text: str) -> str:
    """The text without line ends, control characters and whatever else has power over a terminal."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
