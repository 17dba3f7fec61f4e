"""Rules, imports and exports, full texts, bookmarks, stories and suggestions."""
