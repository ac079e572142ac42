#!/bin/sh
# The command `memberdoor` for /usr/local/bin: it runs as the service does, with its settings and as its user.
set -eu
if [ "$(id -un)" != memberdoor ]; then
  exec runuser -u memberdoor -- "$0" "$@"
fi
set -a
. /etc/memberdoor/memberdoor.env
set +a
exec /opt/memberdoor/node_modules/node-linux-*/bin/node /opt/memberdoor/bin/memberdoor.js "$@"
