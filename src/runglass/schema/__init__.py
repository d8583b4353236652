"""Message schemas as data: field number, name and type, one module per family of messages. Knows no files, and not what plugins are for."""
