"""The overview: how the runs are doing, and cards of all kinds on one page. The cards use the routes of the other dashboards."""
