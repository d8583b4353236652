"""THE list of dashboards, in the order of their tabs. Adding one is a folder on either side and a line here."""

from __future__ import annotations

from runglass.api.dashboard import Dashboard
from runglass.dashboards.audio.routes import ROUTES as AUDIO
from runglass.dashboards.custom_scalars.routes import ROUTES as CUSTOM_SCALARS
from runglass.dashboards.distributions.routes import ROUTES as DISTRIBUTIONS
from runglass.dashboards.histograms.routes import ROUTES as HISTOGRAMS
from runglass.dashboards.images.routes import ROUTES as IMAGES
from runglass.dashboards.mesh.routes import ROUTES as MESH
from runglass.dashboards.pr_curves.routes import ROUTES as PR_CURVES
from runglass.dashboards.scalars.routes import ROUTES as SCALARS
from runglass.dashboards.text.routes import ROUTES as TEXT
from runglass.store.model import Kind

DASHBOARDS = (
    Dashboard("overview", "Overview", tuple(Kind)),
    Dashboard("scalars", "Scalars", (Kind.SCALAR,), SCALARS),
    Dashboard("images", "Images", (Kind.IMAGE,), IMAGES),
    Dashboard("audio", "Audio", (Kind.AUDIO,), AUDIO),
    Dashboard("text", "Text", (Kind.TEXT,), TEXT),
    Dashboard("histograms", "Histograms", (Kind.HISTOGRAM,), HISTOGRAMS),
    Dashboard("distributions", "Distributions", (Kind.HISTOGRAM,), DISTRIBUTIONS),
    Dashboard("pr_curves", "PR curves", (Kind.PR_CURVE,), PR_CURVES),
    Dashboard("custom_scalars", "Custom scalars", (Kind.CUSTOM_SCALARS, Kind.SCALAR), CUSTOM_SCALARS),
    Dashboard("mesh", "Mesh", (Kind.MESH,), MESH),
)
