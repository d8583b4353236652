"""Message schemas as data: field number, name and type, one module per family of messages. Knows no file and no plugin's use."""
