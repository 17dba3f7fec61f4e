"""Ask three questions about what Feedloom stands on.

In: ``requirements/*.txt`` and the installed packages. Out: a sentence per question, exit
1 when any answer is bad or cannot be had. Never: a good answer that nobody gave: when
the advisory service does not answer for every pin, that is said, and the audit fails.

1. Is every pin exact and hashed, and do the installed packages fit together?
2. Is every licence one that may be combined with ours?
3. Does the advisory service know of a vulnerability in a pinned version?
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
TOOL = ROOT / ".cache" / "audit"
ASK_TIMEOUT_S = 600

# Permissive ones, and weak copyleft that stays within the library's own files.
ALLOWED = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CNRI-Python", "ISC"),
        *("MIT", "MIT-0", "MIT-CMU", "MPL-1.1", "MPL-2.0", "PSF-2.0"),
    }
)

# What older packages write where a licence expression belongs.
SPELLINGS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found out about one question."""

    is_good: bool
    sentence: str


def is_allowed(expression: str) -> bool:
    """Judge a licence expression: one allowed alternative, all of its parts."""
    alternatives = re.split(r"\s+OR\s+", expression.strip("() "))
    return any(
        all(part.strip("() ") in ALLOWED for part in re.split(r"\s+AND\s+", one))
        for one in alternatives
    )


def licence_of(package: str) -> str:
    """Return a package's licence expression, from whichever field it uses."""
    fields = metadata(package)
    classifiers = [
        line.split(" :: ")[-1]
        for line in fields.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    if "License-Expression" in fields:
        return fields["License-Expression"]
    if classifiers:
        return " AND ".join(SPELLINGS.get(name, name) for name in classifiers)
    return fields["License"].splitlines()[0] if "License" in fields else "none"


def pinned(name: str) -> list[str]:
    """Return the names pinned in one file."""
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    return re.findall(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE)


def ask_pins() -> Answer:
    """Answer the first question."""
    loose = []
    for path in sorted(REQUIREMENTS.glob("*.txt")):
        for line in path.read_text().replace("\\\n", "").splitlines():
            is_pin = line and not line.lstrip().startswith("#")
            if is_pin and not re.match(r"\S+==\S+.*--hash=sha256:", line):
                loose.append(f"{path.name}: {line.split()[0]}")
    check = subprocess.run(
        [sys.executable, "-m", "pip", "check"], check=False, capture_output=True, text=True
    )
    if loose:
        return Answer(is_good=False, sentence=f"not pinned with hashes: {loose}")
    if check.returncode:
        return Answer(is_good=False, sentence=check.stdout.strip())
    return Answer(is_good=True, sentence="all are exact, hashed, and fit together")


def ask_licences() -> Answer:
    """Answer the second question, for what is shipped to users."""
    odd = []
    absent = 0
    for package in pinned("run"):
        try:
            licence = licence_of(package)
        except PackageNotFoundError:
            absent += 1
            continue
        if not is_allowed(licence):
            odd.append(f"{package} ({licence})")
    if odd:
        return Answer(is_good=False, sentence=f"to be looked at: {', '.join(odd)}")
    count = len(pinned("run")) - absent
    note = f"; {absent} are for other systems and not installed" if absent else ""
    return Answer(is_good=True, sentence=f"all {count} may be combined with ours{note}")


def ask_advisories() -> Answer:
    """Answer the third question, or say that nobody answered it."""
    _install_tool()
    command = [str(TOOL / "bin" / "pip-audit"), "--disable-pip", "--require-hashes"]
    command += ["--progress-spinner", "off", "--format", "json"]
    command += ["--requirement", str(REQUIREMENTS / "run.txt")]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=ASK_TIMEOUT_S
    )
    return judge_advisories(done.stdout, done.stderr)


def judge_advisories(report: str, complaint: str) -> Answer:
    """Read the report of pip-audit, which calls what it could not look up 'skipped'."""
    try:
        rows = json.loads(report)["dependencies"]
    except ValueError:
        reason = (complaint.strip().splitlines() or ["no answer"])[-1]
        return Answer(is_good=False, sentence=f"not checked: {reason}")
    known = [f"{r['name']} ({v['id']})" for r in rows for v in r.get("vulns", ())]
    skipped = [row["name"] for row in rows if "skip_reason" in row]
    if known:
        return Answer(is_good=False, sentence=f"known vulnerabilities: {known}")
    if skipped or not rows:
        return Answer(
            is_good=False,
            sentence=f"not checked: the advisory service answered for"
            f" {len(rows) - len(skipped)} of {len(rows)} packages",
        )
    return Answer(is_good=True, sentence=f"none known for {len(rows)} packages")


def _install_tool() -> None:
    if (TOOL / "bin" / "pip-audit").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", str(TOOL)], check=True)
    install = [str(TOOL / "bin" / "python"), "-m", "pip", "install", "-qq"]
    pins = ["--require-hashes", "--no-deps", "-r", str(REQUIREMENTS / "audit.txt")]
    subprocess.run([*install, *pins], check=True)


def main() -> int:
    """Run from the command line."""
    answers = {"pins": ask_pins(), "licences": ask_licences(), "advisories": ask_advisories()}
    for question, answer in answers.items():
        mark = "ok " if answer.is_good else "BAD"
        print(f"{mark} {question}: {answer.sentence}")
    return 0 if all(answer.is_good for answer in answers.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
