from django.db import models

# Request name → column. The position of a flag is its bit in ListedCount.flags.
FLAGS = {"checked": "is_checked", "top": "is_top", "recommend": "is_recommend", "hot": "is_hot", "color": "is_color"}
BITS = {column: 1 << place for place, column in enumerate(FLAGS.values())}
OWN = 1 << len(BITS)  # further bit: the list belongs to the content's own channel
MARKS = tuple(FLAGS.values())[1:]  # flags that editors set; approval is separate


class ListKind(models.IntegerChoices):
    CHANNEL = 0  # the channel and its ancestors, including the home channel
    GROUP = 1
    TAG = 2
