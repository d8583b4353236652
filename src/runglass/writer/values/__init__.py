"""Values of any framework as the bytes of an event file. Pure: opens no file and starts no thread."""
