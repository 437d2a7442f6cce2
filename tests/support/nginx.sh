# shellcheck shell=sh disable=SC2154
# nginx for benches and checks by hand. To be read by other scripts with "."; $work is a directory of theirs.

# need TOOL...: ends the script if one is missing
need()
{
  for tool; do
    command -v "$tool" >/dev/null || { echo "${0##*/}: there is no $tool here; please install it" >&2; exit 1; }
  done
}

# nginx_start <SERVERS: $server is its process afterwards. A log in the format "requests" is one that requests.c reads.
nginx_start()
{
  {
    cat <<EOF
daemon off; worker_processes 2; worker_rlimit_nofile 20000; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 8192; multi_accept on; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  map \$request \$requested { "~^\S+ (?<target>\S+)" \$target; } # request_uri is empty where nginx answers 400
  log_format requests escape=none '\$status\t\$http_host\t\$request_method\t\$requested\t\$http_user_agent';
  types { text/html html htm; application/xhtml+xml xhtml; text/css css; text/javascript js; application/json json;
          text/plain txt; application/xml xml; image/svg+xml svg; image/png png; image/gif gif; image/jpeg jpg; }
  default_type application/octet-stream;
  client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work;
  uwsgi_temp_path $work; scgi_temp_path $work;
EOF
    cat
    echo '}'
  } >"$work/nginx.conf"
  chmod 755 "$work"
  nginx -e "$work/error.log" -c "$work/nginx.conf" -g 'user root;' &
  server=$!
  sleep 1
  kill -0 "$server" || { cat "$work/error.log" >&2; exit 1; }
}

nginx_stop()
{
  [ -z "$server" ] || { kill "$server"; wait "$server" || true; } 2>/dev/null
  server=
}
