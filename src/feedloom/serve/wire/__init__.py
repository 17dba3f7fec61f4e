"""The JSON API on the wire: shapes, reading and writing them, and the OpenAPI document."""
