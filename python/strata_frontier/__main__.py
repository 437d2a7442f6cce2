"""python -m strata_frontier [DIRECTORY]: which version this is, or what a crawl's directory holds."""
import argparse
import sys
from typing import List, Optional

from . import Frontier, StrataError, __version__, _strata


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m strata_frontier", description=__doc__.split(": ")[1])
    parser.add_argument("directory", nargs="?", help="of a frontier; in Scrapy's JOBDIR it is called strata.frontier")
    parser.add_argument("--version", action="version", version=f"strata-frontier {__version__}")
    directory = parser.parse_args(arguments).directory
    if directory is None:
        print(f"strata-frontier {__version__}\n{_strata.__file__}")
        return 0
    try:
        with Frontier(directory, read_only=True, keep_identity=True) as frontier:
            for name, value in frontier.stats()._asdict().items():
                print(f"{name:<14} {value:.3g}" if isinstance(value, float) else f"{name:<14} {value}")
    except StrataError as error:
        print(f"strata-frontier: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
