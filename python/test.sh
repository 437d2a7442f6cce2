#!/bin/sh
# Builds the wheel by the command given, and runs the tests on it.
#   test.sh WHEEL.SH PYTHON BUILD COMPILER      STRATA_TEST=CASE chooses some of them, as for tests in C
set -eu
"$@"
here=$(cd "$(dirname "$0")" && pwd)
python=$2
build=$3
"$python" -c 'import pytest' 2>/dev/null || { echo "skipped: no tests of the wheel without python3-pytest"; exit 77; }
cd "$build" # not where the sources are
PYTHONPATH=$build/unpacked PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -rs -p no:cacheprovider -W error::pytest.PytestUnraisableExceptionWarning \
  ${STRATA_TEST:+-k "$STRATA_TEST"} "$here/tests"
