#!/bin/bash
# Starts a temporary PgBouncer on loopback for the PostgreSQL on SERVER_PORT, open to any client, with the given pool mode.
# Prints "ready" once it responds, and exits when its standard input ends, so that it cannot outlive the tests.
# As root, installs Debian's package if it is missing, and runs the pooler as another user, because PgBouncer refuses root.
set -euo pipefail
FOLDER=${1:?usage: start-pgbouncer.sh FOLDER PORT SERVER_PORT transaction|session}
PORT=${2:?}
SERVER_PORT=${3:?}
POOLING=${4:?}
export PATH=$PATH:/usr/sbin

if ! command -v pgbouncer >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "PgBouncer is not installed (Debian: pgbouncer), and only root can install it" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends pgbouncer; }
  { install || { apt-get update -qq && install; }; } >"$FOLDER/apt.log" 2>&1 || {
    echo "the package of PgBouncer could not be installed: $(tail -n 1 "$FOLDER/apt.log")" >&2
    exit 3
  }
fi

AS_OWNER=()
if [ "$(id -u)" = 0 ]; then
  chown postgres "$FOLDER"
  AS_OWNER=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi

"${AS_OWNER[@]}" tee "$FOLDER/pgbouncer.ini" >/dev/null <<INI
[databases]
* = host=127.0.0.1 port=$SERVER_PORT user=darkroom password=${POSTGRES_TEST_PASSWORD:?}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $PORT
unix_socket_dir =
auth_type = any
pool_mode = $POOLING
ignore_startup_parameters = extra_float_digits, statement_timeout, idle_in_transaction_session_timeout
INI
"${AS_OWNER[@]}" "$(command -v pgbouncer)" -q "$FOLDER/pgbouncer.ini" >>"$FOLDER/pgbouncer.log" 2>&1 </dev/null &
POOLER=$!
# Immediately, without waiting for clients.
trap 'kill -TERM $POOLER 2>/dev/null; wait $POOLER' EXIT
trap 'exit 143' TERM INT HUP
for _ in $(seq 1 240); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; then echo "ready $POOLER"; break; fi
  kill -0 $POOLER 2>/dev/null || { tail -n 1 "$FOLDER/pgbouncer.log" >&2; exit 1; }
  sleep 0.05
done
# In the background, so that a signal is handled immediately.
exec 3<&0
cat <&3 >/dev/null &
wait $!
