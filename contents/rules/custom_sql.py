"""Custom fields of contents as SQL, over `c` (content)."""


def custom_text(name: str, *, is_postgresql: bool, of_several: str = "") -> str:
    """SQL of a field's text: flags as True and False, numbers as they are stored, empty where there is none.

    `name` is a literal. `of_several` are further cases of the type, such as of lists, which else stay as they are.
    """
    if is_postgresql:
        value, text = f"c.settings_xml::json -> {name}", f"c.settings_xml::json ->> {name}"
        cases = f"WHEN 'boolean' THEN initcap({text}) {of_several} ELSE {text}"
        return f"COALESCE(CASE json_typeof({value}) {cases} END, '')"
    as_stored = """c.settings_xml -> ('$."' || j.key || '"')"""  # null for some names, such as those with quotes
    cases = (
        f"WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' {of_several} "
        f"WHEN 'real' THEN COALESCE({as_stored}, CAST(j.value AS TEXT)) ELSE CAST(j.value AS TEXT)"
    )
    return f"COALESCE((SELECT CASE j.type {cases} END FROM json_each(c.settings_xml) j WHERE j.key = {name}), '')"
