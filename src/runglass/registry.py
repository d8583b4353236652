"""THE list of dashboards, in the order of their tabs. Adding one is a folder on either side and a line here."""

from __future__ import annotations

from runglass.api.dashboard import Dashboard
from runglass.dashboards.audio.routes import ROUTES as AUDIO
from runglass.dashboards.custom_scalars.routes import ROUTES as CUSTOM_SCALARS
from runglass.dashboards.distributions.routes import ROUTES as DISTRIBUTIONS
from runglass.dashboards.graphs.routes import ROUTES as GRAPHS
from runglass.dashboards.graphs.works import WORKS as GRAPHS_WORKS
from runglass.dashboards.histograms.routes import ROUTES as HISTOGRAMS
from runglass.dashboards.hparams.routes import ROUTES as HPARAMS
from runglass.dashboards.hparams.table import read_ahead as read_hparams_ahead
from runglass.dashboards.hparams.works import WORKS as HPARAMS_WORKS
from runglass.dashboards.images.routes import ROUTES as IMAGES
from runglass.dashboards.mesh.routes import ROUTES as MESH
from runglass.dashboards.overview.routes import ROUTES as OVERVIEW
from runglass.dashboards.pr_curves.routes import ROUTES as PR_CURVES
from runglass.dashboards.profile.routes import ROUTES as PROFILE
from runglass.dashboards.profile.works import WORKS as PROFILE_WORKS
from runglass.dashboards.projector.loaded import read_ahead as read_projector_ahead
from runglass.dashboards.projector.routes import ROUTES as PROJECTOR
from runglass.dashboards.projector.works import WORKS as PROJECTOR_WORKS
from runglass.dashboards.scalars.routes import ROUTES as SCALARS
from runglass.dashboards.text.routes import ROUTES as TEXT
from runglass.dashboards.text.works import WORKS as TEXT_WORKS
from runglass.store.model import Family, Kind

DASHBOARDS = (
    Dashboard("overview", "Overview", kinds=tuple(Kind), routes=OVERVIEW),
    Dashboard("scalars", "Scalars", kinds=(Kind.SCALAR,), routes=SCALARS),
    Dashboard(
        "hparams",
        "HParams",
        kinds=(Kind.HPARAMS,),
        families=(Family.CONFIG,),
        routes=HPARAMS,
        works=HPARAMS_WORKS,
        read_ahead=read_hparams_ahead,
    ),
    Dashboard("images", "Images", kinds=(Kind.IMAGE,), routes=IMAGES),
    Dashboard("audio", "Audio", kinds=(Kind.AUDIO,), routes=AUDIO),
    Dashboard("text", "Text", kinds=(Kind.TEXT,), routes=TEXT, works=TEXT_WORKS),
    Dashboard("histograms", "Histograms", kinds=(Kind.HISTOGRAM,), routes=HISTOGRAMS),
    Dashboard("distributions", "Distributions", kinds=(Kind.HISTOGRAM,), routes=DISTRIBUTIONS),
    Dashboard(
        "graphs",
        "Graphs",
        kinds=(Kind.GRAPH,),
        families=(Family.GRAPH,),
        # Profiles of XLA hold the programs that ran.
        files=("*.xplane.pb", "*.hlo_proto.pb"),
        routes=GRAPHS,
        works=GRAPHS_WORKS,
    ),
    Dashboard(
        "projector",
        "Projector",
        families=(Family.PROJECTOR, Family.CHECKPOINT),
        routes=PROJECTOR,
        works=PROJECTOR_WORKS,
        read_ahead=read_projector_ahead,
    ),
    Dashboard("profile", "Profile", families=(Family.PROFILE,), routes=PROFILE, works=PROFILE_WORKS),
    Dashboard("pr_curves", "PR curves", kinds=(Kind.PR_CURVE,), routes=PR_CURVES),
    Dashboard(
        "custom_scalars", "Custom scalars", kinds=(Kind.CUSTOM_SCALARS, Kind.SCALAR), routes=CUSTOM_SCALARS
    ),
    Dashboard("mesh", "Mesh", kinds=(Kind.MESH,), routes=MESH),
)
