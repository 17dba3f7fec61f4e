"""Forms as they come in: text fields, trimmed where that is wanted, never a surprise."""

from starlette.datastructures import FormData, UploadFile


def field(form: FormData, name: str) -> str:
    """Return a text field; empty when it is missing or a file.

    A NUL is left out: no keyboard types one, and databases take none.
    """
    value = form.get(name)
    if value is None or isinstance(value, UploadFile):
        return ""
    return value.replace("\x00", "")


def is_on(form: FormData, name: str) -> bool:
    """Tell whether a check box was ticked."""
    return field(form, name) not in {"", "0", "false", "off"}
