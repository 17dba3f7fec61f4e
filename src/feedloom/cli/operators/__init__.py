"""``feedloom admin``: commands for those who run the installation, one module each."""
