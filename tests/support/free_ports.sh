# shellcheck shell=sh
# free_ports COUNT: so many TCP ports that nobody has, at this moment, on one line.
free_ports()
{
  python3 -c '
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(one.getsockname()[1] for one in held))' "$1"
}
