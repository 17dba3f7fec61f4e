"""Before a release the digests of base images are written beside their versions."""

import json
import shutil
from pathlib import Path

import pytest

from tests.project.test_texts import ROOT
from tools import pin_images

OLD, NEW = f"sha256:{'0' * 64}", f"sha256:{'a1' * 32}"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Return a copy of the files that name images."""
    for name in pin_images.FILES:
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in for Docker: answer with a file named like the image, or fail."""
    (answers := tmp_path / "answers").mkdir()
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        'test "$1 $2 $3 $4" = "buildx imagetools inspect --format" || exit 2\n'
        f'exec /bin/cat "{answers}/$6"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return answers


def contents(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in pin_images.FILES]


def wanted() -> list[str]:
    return pin_images.images("\n".join(contents(ROOT)))


def test_every_base_image_is_named_with_an_exact_version():
    named = {image.split(":")[0]: image.split(":")[1] for image in wanted()}

    assert set(named) == {"python", "postgres"}
    assert all(any(c.isdigit() for c in version) for version in named.values())


def test_digests_are_written_and_replaced():
    container = "FROM a/b:1.2-slim AS build\nRUN x\nFROM a/b:1.2-slim\nFROM build\n"
    compose = f"  image: ours\n  image: db:3@{OLD}\n  # image: db:3 is old\n"
    digests = {"a/b:1.2-slim": NEW, "db:3": NEW}

    assert pin_images.pinned(container, digests) == (
        f"FROM a/b:1.2-slim@{NEW} AS build\nRUN x\nFROM a/b:1.2-slim@{NEW}\nFROM build\n"
    )
    assert pin_images.pinned(compose, digests) == (
        f"  image: ours\n  image: db:3@{NEW}\n  # image: db:3 is old\n"
    )


def test_a_release_pins_all_images_and_changes_nothing_else(release, docker):
    for image in wanted():
        answer = {"digest": NEW, "manifests": [{"digest": OLD}]}
        (docker / image).write_text(json.dumps(answer))
    before = contents(release)

    assert pin_images.main(release) == 0

    after = contents(release)
    assert sum(text.count(f"@{NEW}") for text in after) == 3
    assert [text.replace(f"@{NEW}", "") for text in after] == before
    assert pin_images.main(release) == 0
    assert contents(release) == after


@pytest.mark.parametrize("answer", [None, "", "[]", "{}", '{"digest": "latest"}'])
def test_without_every_digest_nothing_is_changed(release, docker, capsys, answer):
    first, *others = wanted()
    (docker / first).write_text(json.dumps({"digest": NEW}))
    for image in others:
        if answer is not None:
            (docker / image).write_text(answer)
    before = contents(release)

    assert pin_images.main(release) == 1

    assert contents(release) == before
    assert f"Nothing was changed. {others[0]}: " in capsys.readouterr().err


def test_without_docker_nothing_is_changed(release, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(release))

    assert pin_images.main(release) == 1
    assert "Docker did not answer" in capsys.readouterr().err
    assert contents(release) == contents(ROOT)
