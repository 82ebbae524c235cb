"""Writes a large site template to a folder, to measure `manage.py import_site_template`.

python benchmarks/generate_site_template.py FOLDER --contents 100000 --channels 100
"""

import argparse
import base64
import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from Cryptodome.Cipher import DES
from Cryptodome.Util.Padding import pad

WORDS = ["harbour", "ferry", "tide", "pilot", "quay", "lantern", "chart", "港口", "渡轮", "潮汐", "引水"]
FIRST_DAY = datetime(2015, 1, 1)
PROLOGUE = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<feed version="0.3" xmlns="http://purl.org/atom/ns#">\n'
SITE = 1
# Numbers of distinct groups and tags; each content has some of them.
GROUPS = 20
TAGS = 2_000


def main() -> None:
    arguments = parse_arguments()
    metadata = arguments.folder / "SiteTemplateMetadata"
    (metadata / "SiteContent").mkdir(parents=True)
    site = {"SiteName": "Large", "SiteDir": "large", "IsRoot": "False"}
    (metadata / "Configuration.xml").write_text(PROLOGUE + elements(site) + "</feed>\n", encoding="utf-8")
    for channel in range(arguments.channels):
        write_channel(metadata / "SiteContent", channel, arguments)
    print(f"{arguments.contents} contents in {arguments.channels} channels: {arguments.folder}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the template is written")
    parser.add_argument("--contents", type=int, default=100_000)
    parser.add_argument("--channels", type=int, default=100, help="the home channel included")
    parser.add_argument("--body", type=int, default=200, help="words in a body, on average")
    return parser.parse_args()


def write_channel(folder: Path, channel: int, arguments: argparse.Namespace) -> None:
    """Write the file of a channel: 0 is the home channel, all others are its children."""
    name = f"1_{channel}.xml" if channel else "1.xml"
    with (folder / name).open("w", encoding="utf-8") as file:
        file.write(PROLOGUE + elements(channel_elements(channel)))
        # Contents are evenly distributed: the first content of a channel has the channel's number.
        for number in range(channel, arguments.contents, arguments.channels):
            file.write(f"<entry>\n{elements(content_elements(number, arguments.body))}</entry>\n")
        file.write("</feed>\n")


def channel_elements(channel: int) -> dict[str, str]:
    return {
        "Id": str(SITE + channel),
        "ParentId": str(SITE if channel else 0),
        "ChannelName": f"Channel {channel}",
        "IndexName": f"channel-{channel}",
        "Taxis": str(channel + 1),
        "AddDate": "2015年1月1日",
    }


def content_elements(number: int, body_words: int) -> dict[str, str]:
    chance = random.Random(number)
    moment = (FIRST_DAY + timedelta(minutes=number)).strftime("%m/%d/%Y %H:%M:%S")
    encoded = {
        "Title": " ".join(chance.choices(WORDS, k=6)),
        "SubTitle": " ".join(chance.choices(WORDS, k=3)),
        "ImageUrl": f"@/upload/images/{number}.jpg",
        "Summary": " ".join(chance.choices(WORDS, k=30)),
        "Content": "".join(paragraphs(chance, body_words)),
        "Tags": ",".join(f"tag {chance.randrange(TAGS)}" for _ in range(chance.randrange(4))),
        "isrecommend": str(chance.random() < 0.05),
        "ishot": str(chance.random() < 0.05),
        "iscolor": str(chance.random() < 0.02),
        "titleformatstring": "False_False_False_",
        "venue": f"Pier {chance.randrange(9)}",
    }
    return {
        "Id": str(number + 1),
        "AddUserName": "editor",
        "LastEditUserName": "editor",
        "LastEditDate": moment,
        "Taxis": str(number + 1),
        "ContentGroupNameCollection": ",".join(f"group {chance.randrange(GROUPS)}" for _ in range(number % 3)),
        # One in a hundred contents refers to another, half of these to a later one.
        "ReferenceId": str(number ^ 128 or 1) if number % 100 == 0 else "0",
        "IsChecked": str(chance.random() < 0.9),
        "CheckedLevel": "0",
        "Hits": str(chance.randrange(1_000)),
        "HitsByDay": "0",
        "HitsByWeek": "0",
        "HitsByMonth": "0",
        "LastHitsDate": moment,
        "IsTop": str(chance.random() < 0.01),
        "AddDate": moment,
    } | {name: encode(text) for name, text in encoded.items()}


def paragraphs(chance: random.Random, words: int) -> Iterator[str]:
    for _ in range(max(1, words // 50)):
        yield f"<p>{' '.join(chance.choices(WORDS, k=50))}</p>"


def encode(text: str) -> str:
    """Encode the text as in site templates: DES-CBC, then Base64."""
    if not text:
        return ""
    cipher = DES.new(b"TgQQk42O", DES.MODE_CBC, bytes.fromhex("1234567890ABCDEF"))
    return base64.b64encode(cipher.encrypt(pad(text.encode(), DES.block_size))).decode()


def elements(values: Mapping[str, str]) -> str:
    return "".join(
        f'<dc:SiteServer_{name} xmlns:dc="http://purl.org/dc/elements/1.1/"><![CDATA[{text}]]></dc:SiteServer_{name}>\n'
        for name, text in values.items()
    )


if __name__ == "__main__":
    main()
