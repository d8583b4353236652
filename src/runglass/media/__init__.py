"""Formats, headers and structure of encoded pictures, videos and clips. Decodes no pixel and no sample; knows no event file."""
