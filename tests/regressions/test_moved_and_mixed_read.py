"""None, order of evaluation, swapped rows, mixed lists, as a distrustful reader would use them."""

import numpy as np
import pytest
from outcome import both

from fuzz.setting import eager

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAMS = {
    "rows of either type that change their places, and then only their types": """
a = [[2.0, np.float64(2.0)], [np.float64(2.0), 2.0], [2.0, np.float64(2.0)]]
k, p = 0, 1
for i in range(1):
    a[k], a[p] = a[p], a[k]
    for j in range(2):
        a[k][j] = a[2][j]
""",
    "what a branch assigns that is not reached, where None is left": """
s, x, y = 0.0, None, None
c = [-0.0, -0.0, 0.5]
for i in range(3):
    x = c[i] if c[i] > 1 else None
    if y is not None:
        s += 1.0
    else:
        x = c[0] if c[0] > 1 else None
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_answered_as_python_does(name: str) -> None:
    with eager():
        both(PROGRAMS[name], np=np)
