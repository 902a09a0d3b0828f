#!/bin/bash
# Starts a temporary PostgreSQL server on loopback, with the superuser "darkroom". Its data stay in FOLDER for restarts.
# Prints "ready" once it responds, and exits when its standard input ends, so that it cannot outlive the tests.
# As root, installs Debian's package if it is missing, and runs the server as another user, because PostgreSQL refuses root.
set -euo pipefail
FOLDER=${1:?usage: start-server.sh FOLDER PORT}
PORT=${2:?}

find_programs() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }

if [ -z "$(find_programs)" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "PostgreSQL is not installed (Debian: postgresql), and only root can install it" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  # The package would create and start its own server.
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/no-main-cluster.conf
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends postgresql; }
  { install || { apt-get update -qq && install; }; } >"$FOLDER/apt.log" 2>&1 || {
    echo "the package of PostgreSQL could not be installed: $(tail -n 1 "$FOLDER/apt.log")" >&2
    exit 3
  }
fi
PROGRAMS=$(find_programs)

AS_OWNER=()
if [ "$(id -u)" = 0 ]; then
  chown postgres "$FOLDER"
  AS_OWNER=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi

if [ ! -e "$FOLDER/data" ]; then
  "${AS_OWNER[@]}" tee "$FOLDER/password" <<<"${POSTGRES_TEST_PASSWORD:?}" >"$FOLDER/initdb.log"
  "${AS_OWNER[@]}" "$PROGRAMS/initdb" --pgdata="$FOLDER/data" --username=darkroom --auth=scram-sha-256 --no-sync \
    --pwfile="$FOLDER/password" --encoding=UTF8 --locale=C.UTF-8 >"$FOLDER/initdb.log" 2>&1 ||
    { tail -n 1 "$FOLDER/initdb.log" >&2; exit 1; }
fi
# Without fsync the data survives a crash of the server, but not of the host.
"${AS_OWNER[@]}" "$PROGRAMS/postgres" -D "$FOLDER/data" -p "$PORT" -h 127.0.0.1 -k "" \
  -c fsync=off -c max_connections=300 -c shared_buffers="${POSTGRES_TEST_BUFFERS:?}" >>"$FOLDER/server.log" 2>&1 </dev/null &
SERVER=$!
# A fast shutdown: it waits for no client.
trap 'kill -INT $SERVER 2>/dev/null; wait $SERVER' EXIT
trap 'exit 143' TERM INT HUP
for _ in $(seq 1 240); do
  if "$PROGRAMS/pg_isready" -q -h 127.0.0.1 -p "$PORT" -d postgres; then echo "ready $SERVER"; break; fi
  kill -0 $SERVER 2>/dev/null || { tail -n 1 "$FOLDER/server.log" >&2; exit 1; }
  sleep 0.05
done
# In the background, so that a signal is handled immediately.
exec 3<&0
cat <&3 >/dev/null &
wait $!
