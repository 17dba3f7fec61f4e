"""Folders as flat clients see them: each by its whole path."""

from feedloom.model.reader import Folder


def leaf_name(folder: Folder, new_path: str) -> str:
    parents = folder.path.removesuffix(folder.name)
    return new_path.removeprefix(parents) if parents else new_path
