"""Folders: a tree per person under a root that nobody sees."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from feedloom.model.errors import Conflict, InvalidInput
from feedloom.model.reader import Folder
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Query, Row, Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import check_quota, insert, number, one, update
from feedloom.store.values import value_of

MAX_NAME = 255
_COLUMNS = "id, name, parent_id, hidden_globally, list_settings, read_after_days"
_CHANGEABLE = {"list_settings", "read_after_days"}
MOST_FOLDERS = 2_000
"""Per person."""
_NOT_FOUND = "Folder not found"


def list_folders(user_id: int) -> Script[list[Folder]]:
    rows = yield sql(f"SELECT {_COLUMNS}, is_root FROM folders WHERE user_id = :user", user=user_id)
    by_id = {row["id"]: row for row in rows}
    folders = [value_of(Folder, row, path=_path(row, by_id)) for row in rows if not row["is_root"]]
    return sorted(folders, key=lambda folder: folder.path.casefold())


def root_folder(user_id: int) -> Script[int]:
    query = sql("SELECT id FROM folders WHERE user_id = :user AND is_root", user=user_id)
    root: int = (yield from one(query, "Account not found."))["id"]
    return root


class FolderStore(Store):
    @reads(as_user)
    def folders(self, user_id: int) -> Script[list[Folder]]:
        folders = yield from list_folders(user_id)
        text = """SELECT s.folder_id, count(*) AS n FROM article_states a
            JOIN subscriptions s ON s.id = a.subscription_id
            WHERE a.user_id = :user AND a.unread AND a.hidden_at IS NULL GROUP BY s.folder_id"""
        counts = yield sql(text, user=user_id)
        unread = {row["folder_id"]: row["n"] for row in counts}
        return [replace(folder, unread=unread.get(folder.id, 0)) for folder in folders]

    root = reads(as_user).of(root_folder)

    @writes(as_user)
    def create(self, user_id: int, name: str, *, parent_id: int | None = None) -> Script[Folder]:
        """Create a folder; raise ``Conflict`` if a sibling has the name."""
        yield lock_users([user_id])
        parent = yield from own_folder(user_id, parent_id)
        yield from _check_quota(user_id)
        yield from _free_name(user_id, parent, _checked(name))
        [row] = yield _added(user_id, parent, _checked(name))
        return value_of(Folder, row, path=row["name"])

    @writes(as_user)
    def ensure(self, user_id: int, path: tuple[str, ...]) -> Script[int]:
        yield lock_users([user_id])
        root = yield from root_folder(user_id)
        paths = yield from folder_paths(user_id)
        known = {there: id_ for id_, there in paths.items()}
        names = [_checked(name) for name in path]
        missing: list[str] = []
        while names and "/".join(names) not in known:
            missing.insert(0, names.pop())
        folder_id = known["/".join(names)] if names else root
        for name in missing:
            yield from _check_quota(user_id)
            folder_id = yield from number(_added(user_id, folder_id, name))
        return folder_id

    @writes(as_user)
    def rename(self, user_id: int, folder_id: int, name: str) -> Script[None]:
        yield lock_users([user_id])
        row = yield from not_root(user_id, folder_id)
        yield from _free_name(user_id, row["parent_id"], _checked(name), folder_id)
        yield update("folders", folder_id, name=_checked(name))

    @writes(as_user)
    def hide_globally(self, user_id: int, folder_id: int, *, hidden: bool) -> Script[None]:
        """Set whether its feeds' articles appear in lists of everything."""
        yield from not_root(user_id, folder_id)
        yield update("folders", folder_id, hidden_globally=hidden)

    @writes(as_user)
    def change(self, user_id: int, folder_id: int, changes: Mapping[str, object]) -> Script[None]:
        """Set how its list is shown, or when its unread articles count as read."""
        yield from not_root(user_id, folder_id)
        for name in _CHANGEABLE & changes.keys():
            value = changes[name]
            stored = json.dumps(value) if isinstance(value, Mapping) else value
            yield update("folders", folder_id, **{name: stored})

    @writes(as_user)
    def move(self, user_id: int, folder_id: int, parent_id: int | None) -> Script[None]:
        # Two concurrent moves could put two folders into each other.
        yield lock_users([user_id])
        row = yield from not_root(user_id, folder_id)
        parent = yield from own_folder(user_id, parent_id)
        below = yield from subtree(user_id, folder_id)
        if parent in below:
            raise InvalidInput("A folder cannot be moved into itself", field="parent_id")
        yield from _free_name(user_id, parent, row["name"], folder_id)
        yield update("folders", folder_id, parent_id=parent)

    @writes(as_user)
    def delete(self, user_id: int, folder_id: int, *, alone: bool = False) -> Script[None]:
        """Delete a folder and its subfolders, which stay if ``alone``; feeds move to the root."""
        yield lock_users([user_id])
        yield from not_root(user_id, folder_id)
        if alone:
            yield from lift_subfolders(user_id, folder_id)
        ids = yield from subtree(user_id, folder_id)
        root = yield from root_folder(user_id)
        text = "UPDATE subscriptions SET folder_id = :root WHERE folder_id = ANY(:ids)"
        yield sql(text, root=root, ids=ids)
        yield sql("DELETE FROM folders WHERE id = :id", id=folder_id)


def own_folder(user_id: int, folder_id: int | None) -> Script[int]:
    if not folder_id:
        return (yield from root_folder(user_id))
    text = "SELECT id FROM folders WHERE user_id = :user AND id = :id"
    yield from one(sql(text, user=user_id, id=folder_id), _NOT_FOUND)
    return folder_id


def subtree(user_id: int, folder_id: int) -> Script[list[int]]:
    rows = yield sql("SELECT id, parent_id FROM folders WHERE user_id = :user", user=user_id)
    children: dict[int | None, list[int]] = {}
    for row in rows:
        children.setdefault(row["parent_id"], []).append(row["id"])
    found = [folder_id]
    for id_ in found:
        found += children.get(id_, [])
    return found


# The root folder is counted, too.
_check_quota = partial(
    check_quota, "folders", most=MOST_FOLDERS, noun="folders", field="name", more=0
)


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise InvalidInput("Folder name is required", field="name")
    if len(name) > MAX_NAME:
        raise InvalidInput("Folder name must be less than 255 characters", field="name")
    return name


def folder_paths(user_id: int) -> Script[dict[int, str]]:
    text = "SELECT id, parent_id, name, is_root FROM folders WHERE user_id = :user"
    rows = yield sql(text, user=user_id)
    by_id = {row["id"]: row for row in rows}
    return {id_: _path(row, by_id) for id_, row in by_id.items()}


def _path(row: Row, by_id: dict[int, Row]) -> str:
    names: list[str] = []
    while not row["is_root"]:
        names.append(row["name"])
        row = by_id[row["parent_id"]]
    return "/".join(reversed(names))


def _added(user_id: int, parent_id: int, name: str) -> Query:
    columns = f"RETURNING {_COLUMNS}"
    return insert("folders", columns, user_id=user_id, parent_id=parent_id, name=name)


def not_root(user_id: int, folder_id: int) -> Script[Row]:
    text = "SELECT id, parent_id, name FROM folders WHERE user_id = :user AND id = :id"
    return (yield from one(sql(f"{text} AND NOT is_root", user=user_id, id=folder_id), _NOT_FOUND))


def _free_name(user_id: int, parent_id: int, name: str, but: int = 0) -> Script[None]:
    """Refuse a second folder with the same path, which is how most apps identify them."""
    paths = yield from folder_paths(user_id)
    above = paths[parent_id]
    wanted = f"{above}/{name}" if above else name
    if any(path == wanted and id_ != but for id_, path in paths.items()):
        raise Conflict("A folder with this name already exists")


def lift_subfolders(user_id: int, folder_id: int) -> Script[None]:
    """Move subfolders next to their folder, named by their path, as in apps with flat folders."""
    row = yield from not_root(user_id, folder_id)
    paths = yield from folder_paths(user_id)
    above = paths[row["parent_id"]]
    inside = yield sql("SELECT id FROM folders WHERE parent_id = :id", id=folder_id)
    front = f"{above}/" if above else ""
    for child in inside:
        path = paths.pop(child["id"])
        wanted = name = path.removeprefix(front)[:MAX_NAME]
        number = 1
        while f"{front}{name}" in paths.values():
            number += 1
            end = f" {number}"
            name = wanted[: MAX_NAME - len(end)] + end
        paths[child["id"]] = f"{front}{name}"
        yield update("folders", child["id"], parent_id=row["parent_id"], name=name)
