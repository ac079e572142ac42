#!/bin/sh
# The command `memberdoor` for /usr/local/bin: it runs as the service does, with its settings and as its user.
set -eu
if [ "$(id -un)" != memberdoor ]; then
  exec runuser -u memberdoor -- "$0" "$@"
fi
for node in /opt/memberdoor/node_modules/node-linux-*/bin/node; do
  [ -x "$node" ] && break
  echo 'memberdoor: its packages are missing. Install them: cd /opt/memberdoor && npm ci --omit=dev --ignore-scripts' >&2
  exit 1
done
set -a
. /etc/memberdoor/memberdoor.env
set +a
exec "$node" /opt/memberdoor/bin/memberdoor.js "$@"
