#!/bin/sh
# The sources of the last commit as strata-VERSION/ in OUTPUT, a .tar.gz: the same bytes each time.
#   dist.sh VERSION OUTPUT
set -eu
version=$1
output=$2
cd "$(dirname "$0")/.."
git rev-parse --verify -q HEAD >/dev/null || { echo "dist.sh packs what is committed: no git checkout" >&2; exit 1; }
git -c tar.umask=0022 archive --format=tar --prefix="strata-$version/" HEAD >"$output.tar"
gzip -9n <"$output.tar" >"$output.part"
rm "$output.tar"
mv "$output.part" "$output"
echo "$output"
