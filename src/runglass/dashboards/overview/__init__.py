"""The overview: cards of all kinds on one page. It asks the routes of the other dashboards and has none of its own."""
