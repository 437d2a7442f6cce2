#!/bin/sh
# Runs a command where the only network is a web in a box: a namespace of its own, in which all names and addresses
# are this web's, at the usual ports.
#
#   in_a_box.sh WEB_SERVER LINE LOG CA COMMAND [WORD...]
#
# LOG is the server's, CA the certificate to be trusted. The command sees SSL_CERT_FILE and, as $START, the URL to begin
# with. Exit code: the command's; 77 if there can be no namespace here.
set -eu

skip()
{
  echo "in_a_box.sh: there can be no namespace here" >&2
  exit 77
}

if [ "${IN_A_BOX-}" != yes ]; then
  [ $# -ge 5 ] || { echo "usage: in_a_box.sh WEB_SERVER LINE LOG CA COMMAND [WORD...]" >&2; exit 2; }
  command -v ip >/dev/null && unshare --map-root-user --net --mount true 2>/dev/null || skip
  IN_A_BOX=yes exec unshare --map-root-user --net --mount "$0" "$@"
fi
server=$1 line=$2 log=$3 authority=$4
shift 4
ip link set lo up
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
echo "nameserver 127.0.0.1" >"$said/resolv.conf"
echo "hosts: files dns" >"$said/nsswitch.conf"
mount --bind "$said/resolv.conf" "$(readlink -f /etc/resolv.conf)" || skip
mount --bind "$said/nsswitch.conf" /etc/nsswitch.conf || skip
"$server" --web "$line" --address 0.0.0.0 --http 80 --https 443 --dns 53 --ca "$authority" --log "$log" \
  >"$said/server" &
pid=$!
while [ ! -s "$said/server" ]; do
  kill -0 $pid 2>/dev/null || { wait $pid; exit 1; }
  sleep 0.05
done
START=$(sed -n 's/.* start=//p' "$said/server")
export START SSL_CERT_FILE="$authority"
code=0
"$@" || code=$?
kill -TERM $pid
wait $pid
sed -n 's/^requests=/web_server: requests=/p' "$said/server" >&2
exit $code
