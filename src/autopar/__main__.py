"""``python -m autopar``: everything is in `autopar.hook.command`."""

import sys

if __name__ == "__main__":
    # Python puts the current directory first on the path for ``-m``.  It must not lend its files
    # to autopar's imports, and what belongs there instead depends on the program.
    if not sys.flags.safe_path:
        del sys.path[0]

    from autopar.hook import collector

    if vars(sys.modules["__main__"]) is globals():  # else others have objects here
        collector.rest()

    from autopar.hook import command

    command.main(sys.argv[1:])
