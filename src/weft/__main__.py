"""`python -m weft`: the command line, for where the script is not on the path."""

import sys

from weft.cli import main

sys.exit(main())
