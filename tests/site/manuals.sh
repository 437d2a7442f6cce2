# shellcheck shell=sh
# Sites that nobody here wrote: manuals as Debian packages them. To be read by other scripts with ".".

# unpack_manual DIR PACKAGE: makes DIR/PACKAGE.tree, if it is not there yet; else says why not, and fails.
unpack_manual()
{
  [ ! -d "$1/$2.tree" ] || return 0
  mkdir -p "$1"
  if ! ls "$1/$2"_*.deb >/dev/null 2>&1 && ! (cd "$1" && apt-get download "$2") >"$1/apt.log" 2>&1; then
    echo "skipped: the package $2 cannot be downloaded here: $(tail -n 1 "$1/apt.log")"
    return 1
  fi
  rm -rf "$1/$2.new"
  dpkg-deb -x "$1/$2"_*.deb "$1/$2.new"
  mv "$1/$2.new" "$1/$2.tree"
}

# manual_root PACKAGE: where in PACKAGE.tree its first page is
manual_root()
{
  case $1 in
    postgresql-doc-15) echo usr/share/doc/postgresql-doc-15/html ;;
    cmake-doc) echo usr/share/doc/cmake-data/html ;;
    python3.11-doc) echo usr/share/doc/python3.11/html ;;
    libboost1.74-doc) echo usr/share/doc/libboost1.74-doc/doc/html ;;
    racket-doc) echo usr/share/doc/racket ;;
    *) echo "manuals.sh: no manual $1" >&2; return 1 ;;
  esac
}
