"""The page in a real Chromium. A package, so that one browser serves all of these tests."""
