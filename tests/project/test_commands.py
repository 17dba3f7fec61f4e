"""The page of commands says what the commands themselves say."""

import re

from tools.write_commands import PAGE, page


def test_the_page_of_commands_is_up_to_date():
    assert PAGE.read_text() == page(), "python tools/write_commands.py writes it"


def test_every_command_says_what_it_does_and_what_its_options_are():
    silent = [
        part.splitlines()[0]
        for part in page().split("\n## ")[1:]
        if not part.splitlines()[2].endswith(".") or re.search(r"\|  \|.*\|\n", part)
    ]

    assert silent == []
