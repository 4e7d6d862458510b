#!/usr/bin/env bash
# Builds the image and runs it as a cluster would: no root, nothing writable but /tmp and the volume, no capability, little
# memory. First alone with SQLite (this file), then as a deployment of many processes with Redis and PostgreSQL
# (containers/deployment-test.ts): scheduled run, run by API, failed batch and alerts, large run, rolling restart. Says
# what it measured; ends at the first thing that is not so, and leaves nothing behind. Ten minutes; Linux, and npm ci before.
#
#   scripts/container-test.sh               builds localhost/rollcall:test and tests it
#   scripts/container-test.sh single        the first part alone; "deployment": the second
#   IMAGE=name scripts/container-test.sh    tests an image that is there
#   ENGINE=docker BASE_IMAGE=…              another engine (podman if it is there, else docker), another base
#   REDIS_IMAGE=… POSTGRES_IMAGE=…          instead of this machine's redis-server and PostgreSQL, which are taken if they
#                                           are installed; if not, the usual images are pulled
#   PEOPLE=30000                            of the large run, instead of 100000
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-all}
engine=${ENGINE:-$(command -v podman || command -v docker || true)}
engine=${engine##*/}
image=${IMAGE:-}
case $part in all | single | deployment) ;; *)
  echo "there is no part $part: say single or deployment, or nothing for both" >&2
  exit 2
  ;;
esac
case ${PEOPLE:-100000} in *[!0-9]*) enough=false ;; *) [ "${PEOPLE:-100000}" -ge 30000 ] && enough=true || enough=false ;; esac
if [ "$enough" = false ]; then
  echo "PEOPLE=$PEOPLE is too few: 30000 or more, so that replicas can be replaced while the run is under way" >&2
  exit 2
fi
if [ -z "$engine" ]; then
  echo 'neither podman nor docker is here: install one of them' >&2
  exit 2
fi
work=$(mktemp -d)
name=rollcall-test-$$

cleanup() {
  # One after the other: the first lives in the network of the second.
  "$engine" rm -fv "$name" >/dev/null 2>&1 || true
  "$engine" rm -fv "$name-platform" >/dev/null 2>&1 || true
  "$engine" volume rm -f "$name" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

say() { printf '%-44s %s\n' "$1" "$2"; }
die() {
  printf 'FAILED: %s\n' "$1" >&2
  exit 1
}
now() { date +%s%3N; }
# Runs in the way of the chart's pods: $1 is the memory, the rest goes to the engine.
confined() {
  local memory=$1
  shift
  "$engine" run --read-only --tmpfs /tmp:rw,size=64m,mode=1777 --cap-drop ALL --security-opt no-new-privileges \
    --memory "$memory" "$@"
}

if [ -z "$image" ]; then
  image=localhost/rollcall:test
  began=$(now)
  # Podman's own format of images has no HEALTHCHECK.
  format=$([ "$engine" = podman ] && echo '--format docker' || true)
  # shellcheck disable=SC2086
  "$engine" build -q $format ${BASE_IMAGE:+--build-arg BASE_IMAGE="$BASE_IMAGE"} -t "$image" . >/dev/null || die "the image cannot be built"
  say 'built in' "$(($(now) - began)) ms"
fi

deployment_part() {
  local node=node
  [ -x node_modules/.bin/node ] && node=node_modules/.bin/node
  "$node" scripts/containers/deployment-test.ts --engine "$engine" --image "$image" ${PEOPLE:+--people "$PEOPLE"} \
    ${REDIS_IMAGE:+--redis-image "$REDIS_IMAGE"} ${POSTGRES_IMAGE:+--postgres-image "$POSTGRES_IMAGE"}
}
if [ "$part" = deployment ]; then
  deployment_part
  exit
fi

say 'size of the image' "$("$engine" image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MB", $1 / 1e6}')"

began=$(now)
version=$(confined 128m --rm "$image" --version 2>/dev/null)
say '--version with 128 MB' "$version, $(($(now) - began)) ms with the container's own start"
[ "$version" = "$(sed -n 's/.*"version": "\(.*\)".*/\1/p' package.json)" ] || die "the image says it is $version"

inside=$(confined 128m --rm --entrypoint /bin/sh "$image" -c 'id -u; touch /app/x 2>/dev/null && echo writable; ls /app/node_modules/typescript /app/src 2>/dev/null
  command -v npm npx yarn; find /app /usr/local /opt -name "*.ts" -o -name "*.mts" -o -name "*.cts" -o -name npm | head -5; true' 2>/dev/null)
[ "$inside" = 1000 ] || die "as user 1000 with a read-only root, no build tools, no npm and no source text, but: $inside"
say 'user, root file system, build tools, npm' '1000, read-only, none, none'

began=$(now)
confined 192m --rm "$image" demo --json >"$work/demo.json" 2>"$work/demo.err" || die "demo: $(tail -5 "$work/demo.err")"
grep -q '"ok":true' "$work/demo.json" || die "the demo's second plan was not empty"
say 'demo with 192 MB' "$(($(now) - began)) ms"

# A deployment of one: a platform beside it, SQLite on a volume, a schedule every minute and one run asked for by hand.
cat >"$work/rollcall.yaml" <<'Y'
connections:
  acme: { baseUrl: "http://127.0.0.1:8787", accessToken: "${env:ACME_ACCESS_TOKEN}" }
syncs:
  people:
    connection: acme
    schedule: { cron: "* * * * *", timezone: UTC }
    source: { kind: csv, path: ./employees.csv }
    policy: upsert-only
    mapping: { identification: id, firstName: first, lastName: last, email: mail }
server: { host: 0.0.0.0, tokens: [{ name: ops, role: operator, token: "${env:OPS_TOKEN}" }] }
Y
printf 'id,first,last,mail\n9001,Ana,Sato,ana.sato@example.com\n9002,Bo,Lind,bo.lind@example.com\n' >"$work/employees.csv"
chmod -R a+rX "$work"
"$engine" run -d --name "$name-platform" "$image" sandbox --users 20 --access-token secret-of-the-test >/dev/null 2>&1
"$engine" volume create "$name" >/dev/null 2>&1
start() {
  confined 192m -d --name "$name" --network "container:$name-platform" -e ACME_ACCESS_TOKEN=secret-of-the-test -e OPS_TOKEN=secret-of-the-test-too \
    -v "$work/rollcall.yaml:/data/rollcall.yaml:ro" -v "$work/employees.csv:/data/employees.csv:ro" \
    -v "$name:/data/.rollcall" "$image" start --json >/dev/null 2>&1
}
in_it() { "$engine" exec "$name" rollcall "$@" 2>/dev/null; }
wait_ready() {
  for _ in $(seq 100); do
    "$engine" logs "$name" 2>/dev/null | grep -q '"ready":true' && return
    sleep 0.1
  done
  die "start did not become ready: $("$engine" logs "$name" 2>&1 | tail -5)"
}

began=$(now)
start
wait_ready
say 'start is ready after' "$(($(now) - began)) ms with the container's own start"
status_of() {
  "$engine" exec "$name" node -e 'fetch("http://127.0.0.1:8080" + process.argv[1]).then((answer) => console.log(answer.status))' "$1" 2>/dev/null
}
for path in /startupz /healthz /readyz; do
  [ "$(status_of $path)" = 200 ] || die "$path answers $(status_of $path)"
done
[ "$(status_of /api/syncs)" = 401 ] || die "the API answers $(status_of /api/syncs) without a token"
[ "$(status_of /metrics)" = 401 ] || die "/metrics answers $(status_of /metrics) without a token"
"$engine" exec "$name" node -e 'fetch("http://127.0.0.1:8080/metrics", { headers: { authorization: `Bearer ${process.env.OPS_TOKEN}` } }).then((answer) => answer.text()).then(console.log)' \
  2>/dev/null | grep "rollcall_info{version=\"$version\"} 1" >/dev/null || die '/metrics does not say rollcall_info'
say 'health, metrics, and the API without a token' '200, told, 401'
in_it resync people >/dev/null || die 'resync in the running container'
for _ in $(seq 100); do
  in_it runs --json | grep -q '"outcome":"succeeded"' && break
  sleep 0.3
done
in_it runs --json | grep -q '"outcome":"succeeded"' || die "no run succeeded: $(in_it runs)"
say 'resync asked for in the container' 'succeeded'
sleep 2
say 'memory at rest' "$("$engine" exec "$name" sh -c "grep VmRSS /proc/1/status" 2>/dev/null | awk '{printf "%.0f MB", $2 / 1024}')"

# As docs/kubernetes.md says it.
"$engine" exec "$name" node -e '
  const Database = require("/app/node_modules/better-sqlite3");
  new Database("/data/.rollcall/rollcall.db").backup("/data/.rollcall/backup.db").then(() => console.log("done"))' \
  >"$work/backup" 2>&1 || die "backup: $(cat "$work/backup")"
grep -q done "$work/backup" || die "backup: $(cat "$work/backup")"

began=$(now)
"$engine" stop -t 20 "$name" >/dev/null 2>&1
code=$("$engine" inspect --format '{{.State.ExitCode}}' "$name")
say 'SIGTERM: exit code and time' "$code, $(($(now) - began)) ms"
[ "$code" = 0 ] || die "start ended with $code after SIGTERM"

"$engine" rm -v "$name" >/dev/null 2>&1
start
wait_ready
in_it runs --json | grep -q '"outcome":"succeeded"' || die 'a new container on the same volume does not know the old run'
say 'a new container on the same volume' 'knows the runs of the old one'

"$engine" stop -t 20 "$name" >/dev/null 2>&1
"$engine" rm -v "$name" >/dev/null 2>&1
confined 64m --rm -v "$name:/data/.rollcall" --entrypoint /bin/sh "$image" -c \
  'cd .rollcall && rm -f rollcall.db rollcall.db-wal rollcall.db-shm && mv backup.db rollcall.db' 2>/dev/null
start
wait_ready
in_it runs --json | grep -q '"outcome":"succeeded"' || die 'the restored backup does not know the run'
say 'backup, restored' 'knows the runs'
if "$engine" logs "$name" 2>&1 | grep -q 'secret-of-the-test\|ana.sato@'; then die 'a secret or a person is in the logs'; fi
if [ "$part" = all ]; then
  # What still runs would disturb the figures.
  cleanup
  printf '\nMany processes, Redis and PostgreSQL:\n'
  deployment_part
fi
echo 'All as it should be.'
