"""Random nests lie with the dependence tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "deps"))
