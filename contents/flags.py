"""The flags of contents and the kinds of lists, for Python and SQL alike."""

from django.db import models

# Names in requests and columns. The place of a flag is its bit in ListedCount.flags.
FLAGS = {"checked": "is_checked", "top": "is_top", "recommend": "is_recommend", "hot": "is_hot", "color": "is_color"}
BITS = {column: 1 << place for place, column in enumerate(FLAGS.values())}
MARKS = tuple(FLAGS.values())[1:]  # those that editors set; approval has its own way


class ListKind(models.IntegerChoices):
    """What kind of thing a list belongs to."""

    CHANNEL = 0  # the channel itself and every channel above it, up to the home channel
    GROUP = 1
    TAG = 2
