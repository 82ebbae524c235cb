"""Writes without a pause until its input ends: each transaction adds a user, a content and a file of that name."""

import json
import sys
import threading

import django


def main():
    django.setup()
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage
    from django.db import transaction

    from accounts.models import User
    from channels_app.models import Channel
    from core.lib.media_storage import AVATARS, new_picture_name
    from tests.factories import ContentFactory

    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    channel, number = Channel.objects.get(index_name="news"), 0
    while not over.is_set():
        number += 1
        file = default_storage.save(new_picture_name(AVATARS), ContentFile(b"picture %d" % number))
        with transaction.atomic():
            User.objects.create(user_name=f"written{number}", password="!", avatar_file=file)
            ContentFactory(channel=channel, title=f"written{number}", content="x" * 2000)
        if number == 20:
            print("under way", flush=True)
    print(json.dumps(number))


if __name__ == "__main__":
    main()
