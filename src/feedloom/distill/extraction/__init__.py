"""Finding the article in a web page: in a process of our own, or by Jina Reader."""
