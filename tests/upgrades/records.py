"""Prints every row of the project's own tables as JSON: `python -m tests.upgrades.records`."""

import json

import django


def main():
    django.setup()
    from django.db import connection

    from tests.migration_walk import OWN, read

    own = [name for name in connection.introspection.table_names() if name.startswith(tuple(f"{app}_" for app in OWN))]
    tables = {name: {str(key): values for key, values in read(name).items()} for name in own if "words" not in name}
    print(json.dumps(tables, default=str))


if __name__ == "__main__":
    main()
