"""Writes the OpenAPI document and derived files: `make openapi`."""

import os
import tempfile

import django


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "cms_api.settings", "CMS_DATA_DIR": folder}
        django.setup()
        from tools.openapi.files import made_files
        from tools.openapi.recording import record

        for file, text in made_files(record()):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
