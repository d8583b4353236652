"""What training code and frameworks call to log. Checks what it is given; encoding is in values/, writing in files/."""
