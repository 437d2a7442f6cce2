#!/bin/sh
# The Debian packages: sound to lintian, with what they need and no path of a build; and they install and run on a bare
# Debian 12, where a stranger's programs are built with libstrata-dev and no other package of ours or theirs. The
# Containerfile's lines are run there, too. Needs root, Debian's mirror, and some minutes.
#   test_packages.sh BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
build=$1/deb
for tool in mmdebstrap lintian dpkg-shlibdeps chroot; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool here"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: making a root directory needs root"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

launcher=$(command -v ccache || true)
rm -rf "$build/packages"
{
  (cd "$tree" && cmake --preset deb -B "$build" -DCMAKE_C_COMPILER_LAUNCHER="$launcher") &&
    cmake --build "$build" --target package
} >"$build.log" 2>&1 || { tail -50 "$build.log"; exit 1; }

fail() # SENTENCE
{
  echo "$*"
  exit 1
}

lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs "$build"/packages/*.deb >"$work/lintian" 2>&1 ||
  { cat "$work/lintian"; fail "lintian found errors"; }
for package in libmlbf0.1 libfrontier0.1 libstrata-dev strata python3-strata-frontier; do
  deb=$(find "$build/packages" -maxdepth 1 -name "${package}_*.deb")
  [ -s "$deb" ] || fail "there is no package $package"
  dpkg-deb -x "$deb" "$work/$package"
  [ -s "$work/$package/usr/share/doc/$package/copyright" ] || fail "$package has no copyright"
  [ -s "$work/$package/usr/share/doc/$package/changelog.Debian.gz" ] || fail "$package has no changelog"
  ! grep -rlI -e "$build" -e "$tree" "$work/$package" || fail "$package names the place it was built in"
done
find "$work"/lib*0.1 "$work/strata/usr/bin" "$work/python3-strata-frontier" -type f \
  \( -name '*.so*' -o -name strata \) | while read -r file; do
  ! readelf -d "$file" | grep -E 'R(UN)?PATH' || fail "$file has a RUNPATH"
done
case $(dpkg-deb -f "$build"/packages/libfrontier0.1_*.deb Depends) in
*'libmlbf0.1 (='*liblmdb0*) ;;
*) fail "libfrontier0.1 does not depend on libmlbf0.1 and liblmdb0" ;;
esac

# A bare system.
make_root() # DIRECTORY
{
  mmdebstrap --quiet --mode=root --variant=apt bookworm "$1" >"$work/log" 2>&1 ||
    { tail "$work/log"; fail "no bare system could be made"; }
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  in_root "$1" 'apt-get update'
}
in_root() # DIRECTORY COMMAND
{
  chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -euc "$2" \
    >"$work/log" 2>&1 </dev/null || { tail -20 "$work/log"; fail "on a bare Debian 12: $2"; }
}

root=$work/root
make_root "$root"
cp "$build"/packages/*.deb "$root/tmp/"
in_root "$root" 'apt-get install -y --no-install-recommends /tmp/strata_*.deb'
in_root "$root" 'strata --version && echo http://a.example/b | strata uniq | grep -x http://a.example/b'
in_root "$root" 'apt-get install -y --no-install-recommends /tmp/python3-*.deb /tmp/libmlbf*.deb /tmp/libfrontier*.deb'
in_root "$root" 'python3 -m strata_frontier | grep "strata-frontier 0" && python3 -c "
from strata_frontier import Filter, Frontier
with Frontier(\"/tmp/crawl\") as f:
    assert f.add(\"http://a.example/\").is_new and Filter().add(\"a\")
with Frontier(\"/tmp/crawl\") as f:
    assert f.next()[0].url == \"http://a.example/\""'
in_root "$root" 'ldd /usr/lib/python3/dist-packages/strata_frontier/_strata*.so | grep "libfrontier.so.0.1 => /"'
in_root "$root" 'apt-get install -y --no-install-recommends /tmp/lib*.deb cmake g++ make pkg-config'
mkdir "$root/tmp/stranger"
cp "$here"/stranger_* "$here"/CMakeLists.txt "$root/tmp/stranger/"
for unwanted in xxhash.h lmdb.h unistr.h uriparser; do
  [ ! -e "$root/usr/include/$unwanted" ] || fail "the bare system has $unwanted, so this proves nothing"
done
in_root "$root" 'cmake -S /tmp/stranger -B /tmp/built && cmake --build /tmp/built'
in_root "$root" '/tmp/built/stranger_mlbf && /tmp/built/stranger_frontier'
# shellcheck disable=SC2016
in_root "$root" 'cc /tmp/stranger/stranger_mlbf.c -o /tmp/by_pc $(pkg-config --cflags --libs strata-mlbf) && /tmp/by_pc'
in_root "$root" 'dpkg --purge python3-strata-frontier libstrata-dev libfrontier0.1 libmlbf0.1 strata'
left=$(find "$root/usr" -name '*strata*' -o -name 'lib*frontier*' -o -name 'libmlbf*')
[ -z "$left" ] || fail "left after dpkg --purge: $left"

# The Containerfile, line by line.
stage=
while read -r word rest; do
  case $word in
  FROM)
    before=$stage
    stage=$work/stage${stage:+2}
    make_root "$stage"
    at=/ ;;
  WORKDIR) at=$rest && mkdir -p "$stage$at" ;;
  COPY)
    case $rest in
    '. /src') mkdir "$stage/src" && git -C "$tree" archive HEAD | tar -xf - -C "$stage/src" ;;
    '--from=build '*) # shellcheck disable=SC2086
      set -- ${rest#* } && cp "$before"$1 "$stage$2" ;;
    *) fail "COPY $rest: not known here" ;;
    esac ;;
  RUN) in_root "$stage" "cd $at && $rest" ;;
  ENTRYPOINT) entry=$rest ;;
  esac
done <"$tree/Containerfile"
[ "$entry" = '["strata"]' ]
in_root "$stage" 'strata --version'
echo "5 packages; a bare Debian 12 runs them"
