"""Forms as they come in: text fields, trimmed where that is wanted, never a surprise."""

from starlette.datastructures import FormData, QueryParams, UploadFile


def field(form: FormData | QueryParams, name: str) -> str:
    """Return a text field; empty when it is missing or a file.

    A NUL is left out: no keyboard types one, and databases take none.
    """
    value = form.get(name)
    if value is None or isinstance(value, UploadFile):
        return ""
    return value.replace("\x00", "")


def is_on(form: FormData | QueryParams, name: str) -> bool:
    return field(form, name) not in {"", "0", "false", "off"}
