"""The overview: cards of all kinds on one page. It uses the routes of the other dashboards and has none of its own."""
