"""What encoded pictures, films and clips say about themselves. Decodes no pixel and no sample; knows no event file."""
