"""Headlines in, in order of arrival; the story each belongs to out."""
