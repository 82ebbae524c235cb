"""Offers the API many odd records: `python -m tests.backup.odd SEED`. Prints, as JSON, how many of each it took."""

import json
import sys
from collections import Counter

import django


def main():
    django.setup()
    from django.core.management import call_command
    from django.test import Client
    from hypothesis import HealthCheck, Phase, given, seed, settings

    from accounts.models import Administrator
    from apikeys.models import ApiKey
    from channels_app.models import Channel
    from tests import odd_texts

    root = Administrator.objects.create_superuser("root", "harbour-21")
    call_command("load_sample_site", stdout=sys.stderr)
    _, token = ApiKey.objects.issue("odd", root, scopes="Channels:write,Contents:write,Users:write")
    client = Client(headers={"X-SS-API-KEY": token}, SERVER_NAME="localhost")
    news = Channel.objects.get(index_name="news")
    taken = Counter()

    def offer(path, records):
        @seed(int(sys.argv[1]))
        @settings(
            max_examples=150,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(records)
        def send(record):
            try:
                body = json.dumps(record, allow_nan=False)
            except ValueError:
                return
            answer = client.post(f"/api/v1/{path}", body, content_type="application/json")
            assert answer.status_code in {200, 400}, (path, record, answer.content)
            taken[path.partition("/")[0]] += answer.status_code == 200

        send()

    offer("users", odd_texts.USERS)
    offer(f"channels/{news.site_id}", odd_texts.CHANNELS)
    offer(f"contents/{news.site_id}/{news.pk}", odd_texts.CONTENTS)
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
