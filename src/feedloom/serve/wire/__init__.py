"""What goes over the wire in JSON: shapes, how they are read and written, their document."""
