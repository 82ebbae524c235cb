"""Files in the folder of an installation that are for its server, not for visitors."""

import re

# Types of configuration and data. Scripts, styles and pictures of any name are for pages.
_TEXTS_AND_ARCHIVES = frozenset({"txt", "csv", "zip", "rar", "7z", "gz", "tgz", "tar", "bz2", "xz"})
_DATA = _TEXTS_AND_ARCHIVES | {"json", "xml", "yml", "yaml", "rtf", "doc", "docx", "et", "wps", "xls", "xlsx"}
# In small letters, as parts of a name or as whole words of it: appsettings.Production.json, web.config.txt, db.sql.zip.
_NAME = re.compile(
    r"backup|config|connectionstring|credential|database|password|secret|settings|siteserver|sscms"
    r"|(?<![a-z])(?:(?:access|debug|error)?logs?|accdb|bak|db|deps|dump|env|ldf|log4net|mdb|mdf|nlog|sql|sqlite)(?![a-z])"
)
_FOLDER = re.compile(
    r"app_(?:browsers|code|data|globalresources|localresources|webreferences)"
    r"|bin|sitefiles|siteserver|ss-admin|.*backups?|(?:.*[^a-z])?(?:bak|(?:access|debug|error)?logs?)"
)
_UPLOADS = "upload"  # the folder of files that editors publish, with any names


def is_private(path: str, *, is_beside_programs: bool = False) -> bool:
    """Return whether visitors must not get the file, whose path is below the folder of its site."""
    *folders, name = path.casefold().split("/")
    if folders[:1] == [_UPLOADS]:
        return False
    if any(_FOLDER.fullmatch(folder) for folder in folders) or (is_beside_programs and folders[:1] == ["plugins"]):
        return True
    stem, _, kind = name.rpartition(".")
    return kind in _DATA and bool(_NAME.search(stem))


def may_be_secret(path: str) -> bool:
    """Return whether the operator should check the file: a text or an archive outside the uploads."""
    folded = path.casefold()
    return folded.rpartition(".")[2] in _TEXTS_AND_ARCHIVES and not folded.startswith(f"{_UPLOADS}/")
