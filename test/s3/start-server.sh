#!/bin/bash
# Starts a temporary S3-compatible server on loopback: the Ceph RADOS Gateway with one monitor and one OSD in memory.
# Prints "ready" once it responds, and exits when its standard input ends, so that it cannot outlive the tests.
# As root, installs the missing Debian packages.
set -euo pipefail
FOLDER=${1:?usage: start-server.sh FOLDER GATEWAY_PORT MONITOR_PORT}
GATEWAY=${2:?}
MONITOR=${3:?}

if ! command -v radosgw ceph-mon ceph-osd radosgw-admin >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "radosgw, ceph-mon and ceph-osd are not installed, and only root can install them" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends ceph-mon ceph-osd ceph-mgr radosgw ceph-common; }
  { install || { apt-get update -qq && install; }; } >"$FOLDER/apt.log" 2>&1 || {
    echo "the packages of Ceph could not be installed: $(tail -n 1 "$FOLDER/apt.log")" >&2
    exit 3
  }
fi

mkdir -p "$FOLDER"/{mon,osd,rgw,run,log}
FSID=$(cat /proc/sys/kernel/random/uuid)
OSD_ID=$(cat /proc/sys/kernel/random/uuid)
ADDRESS="[v2:127.0.0.1:$MONITOR,v1:127.0.0.1:$((MONITOR + 1))]"
export CEPH_CONF=$FOLDER/ceph.conf
cat >"$CEPH_CONF" <<CONF
[global]
fsid = $FSID
mon host = $ADDRESS
mon initial members = a
public network = 127.0.0.0/8
keyring = $FOLDER/keyring
auth allow insecure global id reclaim = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 1000
osd crush chooseleaf type = 0
# Its log is not read, and by default it also retains the last 10,000 lines of a more detailed log in memory.
debug default = 0/0
debug mon = 0/0
debug osd = 0/0
debug auth = 0/0
debug monc = 0/0
debug paxos = 0/0
debug objecter = 0/0
debug rgw = 0/0
# One index shard per bucket, not eleven.
rgw override bucket index max shards = 1
rgw dynamic resharding = false
osd objectstore = memstore
memstore device bytes = ${S3_TEST_BYTES:-4294967296}
run dir = $FOLDER/run
admin socket = $FOLDER/run/\$name.asok
log file = $FOLDER/log/\$name.log
[mon.a]
host = localhost
mon data = $FOLDER/mon
[osd.0]
keyring = $FOLDER/osd/keyring
osd mon heartbeat interval = 1
osd crush update on start = false
osd data = $FOLDER/osd
[client.rgw]
keyring = $FOLDER/rgw/keyring
# Without it, most answers wait 40 ms for a delayed acknowledgement.
rgw frontends = beast endpoint=127.0.0.1:$GATEWAY tcp_nodelay=1
rgw data = $FOLDER/rgw
rgw s3 auth use keystone = false
rgw enable apis = s3
rgw relaxed s3 bucket names = false
rgw gc obj min wait = 60
CONF

trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
trap 'exit 143' TERM INT HUP
quiet() { "$@" >>"$FOLDER/log/setup.log" 2>&1 </dev/null; }
quiet ceph-authtool --create-keyring "$FOLDER/keyring" --gen-key -n mon. --cap mon 'allow *'
quiet ceph-authtool "$FOLDER/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
quiet monmaptool --create --addv a "$ADDRESS" --fsid "$FSID" --clobber "$FOLDER/monmap"
USER_OPTIONS=()
[ "$(id -u)" != 0 ] || USER_OPTIONS=(--setuser root --setgroup root)
quiet ceph-mon --mkfs -i a --monmap "$FOLDER/monmap" --keyring "$FOLDER/keyring" "${USER_OPTIONS[@]}"
ceph-mon -f -i a "${USER_OPTIONS[@]}" >>"$FOLDER/log/mon.out" 2>&1 </dev/null &
quiet ceph auth get-or-create osd.0 mon 'allow profile osd' osd 'allow *' mgr 'allow *' -o "$FOLDER/osd/keyring"
quiet ceph auth get-or-create client.rgw mon 'allow *' osd 'allow *' -o "$FOLDER/rgw/keyring"
quiet ceph osd new "$OSD_ID"
quiet ceph-osd -i 0 --mkfs --osd-uuid "$OSD_ID" "${USER_OPTIONS[@]}"
ceph-osd -f -i 0 "${USER_OPTIONS[@]}" >>"$FOLDER/log/osd.out" 2>&1 </dev/null &
quiet ceph osd crush add osd.0 1.0 host=localhost root=default
quiet radosgw-admin -n client.rgw user create --uid=test --display-name=test --max-buckets=0 \
  --access-key="${S3_TEST_KEY:?}" --secret="${S3_TEST_SECRET:?}"
radosgw -f -n client.rgw "${USER_OPTIONS[@]}" >>"$FOLDER/log/rgw.out" 2>&1 </dev/null &
for _ in $(seq 1 240); do
  if (: <"/dev/tcp/127.0.0.1/$GATEWAY") 2>/dev/null; then echo ready; break; fi
  sleep 0.25
done
# In the background, so that a signal is handled immediately.
exec 3<&0
cat <&3 >/dev/null &
wait $!
