"""`python -m runglass`"""

import sys

from runglass.cli import main

sys.exit(main())
