"""Write the golden articles anew."""

from tests.corpus.articles import write_anew

write_anew()
