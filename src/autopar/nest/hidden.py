"""Parts of names and paths that no user can write, and what stands for a number."""

GLOBALS, CLOSURE, DEFAULTS = "<globals>", "<closure>", "<defaults>"
"""In the path of a name of a helper's module, of a function around it, or of a default."""

KEYS, VALUES = "<keys>", "<values>"
"""How the paths end of what a dictionary has, in its order."""

GENERATOR = "<generator "
"""How the paths of arrays begin that stand for the state of a generator."""

DRAW = "<draw "
"""How the name of what is called begins for the bits of a number that is drawn."""

ORDER = ".<order>"
"""How the paths end of arrays that say which row of a list of lists is where."""

FRESH = ".<fresh>"
"""How the paths end of arrays that say which rows of a list of lists are new lists."""

STORED = ".<stored>"
"""How the paths end of arrays that say which elements of a list have been assigned."""

TYPES = ".<types>"
"""How the paths end of arrays that say of which type each element of a list is."""

AT, STOP = "autopar_at", "autopar_stop"
"""Names in a nest for where a stretch of a range begins, and the range ends."""

ITEMS = "<items "
"""How the names begin of what counts the items of a list that a nest makes."""

USUAL = -1
"""In place of a number of iterations that nobody knows before they run."""

CONSECUTIVE = -2
"""The same of parts of an array that follow one another, as rows of a compressed matrix do: all of
them have no more elements than the array."""

ANY, TWICE = -1, -2
"""In place of an axis: the longest; twice as far, as from ``i - n`` to ``i + n``."""
