"""Writes the pages."""

import os

import django


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    django.setup()
    from tools.reference.pages import FOLDER, PAGES

    FOLDER.mkdir(exist_ok=True)
    for name, made in PAGES.items():
        (FOLDER / name).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
