#!/usr/bin/env bash
# Build both targets of deploy/containers/Containerfile and use them, as their user and without a network.
#
#   release/containers.sh DIST WORK
#
# As root, with buildah, mmdebstrap, curl and iproute2 of Debian. Neither a daemon nor a registry of images is needed: the
# base is Debian 12 with its Python 3.11 and stands in for python:3.11-slim. The last line says "proved".
set -euo pipefail

dist=$(realpath "${1:?the folder with the wheels}")
work=$(realpath -m "${2:?a folder to work in}")
here=$(cd "$(dirname "$0")/.." && pwd)
file=$here/deploy/containers/Containerfile
. "$here/release/bare_debian.sh"

if [ -z "${WITHOUT_NETWORK:-}" ]; then
  install_debian "$work/root"
  extras=$(sed -nE 's/.*"pincite\[([a-z0-9,]+)\] @.*/\1/p' "$file")
  download_wheels "$dist" "$extras" "$work/gathered" "$(python_of "$work/root")"
  WITHOUT_NETWORK=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$dist" "$work"
fi

ip link set lo up
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }

# pip and python stand in /usr/local, as in the image that this one stands in for.
make_base() {
  local container mounted
  container=$(buildah from scratch)
  mounted=$(buildah mount "$container")
  cp -a "$work/root/." "$mounted/"
  chroot "$mounted" python3 -m venv /usr/local
  buildah config --env PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin "$container"
  buildah umount "$container" > /dev/null
  buildah commit --quiet --rm "$container" python:3.11-slim > /dev/null
}

# The Containerfile asks pip for wheels. Here pip finds them in a folder that exists only during the build.
build() {
  buildah build --quiet --pull=never --file "$file" --ignorefile "$file.dockerignore" --target "$1" --tag "pincite-$1" \
    --volume "$work/gathered:/gathered:ro" --volume "$work/pip.conf:/etc/pip.conf:ro" "$work/context"
}

# `run TARGET [ARGUMENTS]` does what an engine does: the image names the user, the folder, the variables and the command.
run() {
  local target=$1 words
  shift
  mapfile -t words < <(buildah inspect --type image "pincite-$target" | python3 -c '
import json, sys
config = json.load(sys.stdin)["OCIv1"]["config"]
print(*config["Entrypoint"], *(sys.argv[1:] or config["Cmd"]), sep="\n")' "$@")
  buildah run --volume "$work/volume-$target:/var/lib/pincite" --volume "$work/notes:/notes:ro" "${started[$target]}" \
    -- "${words[@]}"
}

prepare() {
  declare -gA started
  local target
  rm -rf "$work"/volume-* "$work/context" "$work/notes"
  mkdir -p "$work/context/dist" "$work/context/deploy/workspaces" "$work/notes"
  cp "$dist"/*.whl "$work/context/dist/"
  cp "$here/deploy/workspaces/pincite.toml" "$work/context/deploy/workspaces/"
  cp "$here/README.md" "$work/notes/"
  printf '[global]\nno-index = true\nfind-links = /gathered\n' > "$work/pip.conf"
  make_base
  for target in mcp serve; do
    echo "== build $target"
    build "$target"
    started[$target]=$(buildah from --pull=never "pincite-$target")
    # its settings name a Qdrant server, and here is none
    buildah config --env PINCITE_CONFIG= "${started[$target]}"
    install -d -o 10001 -g 10001 -m 700 "$work/volume-$target"
    buildah run "${started[$target]}" -- sh -c \
      'test "$(id -u):$(id -g)" = 10001:10001 && ! touch /usr/local/x 2> /dev/null && ! command -v gcc git curl'
  done
}

use_mcp() {
  local volume=$work/volume-mcp
  echo "== mcp"
  run mcp index /notes
  run mcp search "what survives kill -9" -n 2 --json > "$volume/pack.json"
  run mcp verify pack.json
  cat > "$work/messages.jsonl" <<'JSON'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"proof","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_evidence","arguments":{"query":"what survives kill -9"}}}
JSON
  run mcp < "$work/messages.jsonl" > "$work/answers.jsonl"
  grep -q '"protocolVersion"' "$work/answers.jsonl"
  grep -q 'README.md' "$work/answers.jsonl"
}

# curl runs beside the container, in the same network. The server ends with this script, the first process of its namespace.
use_serve() {
  local url=http://localhost:8700/v1 user
  echo "== serve"
  run serve workspace migrate
  user=$(run serve workspace user add Ada | grep -oE '[0-9a-f]{8}-[0-9a-f-]{27}' | head -n 1)
  run serve workspace key add "$user" --name proof --scope search --scope write > "$work/key.out"
  echo "Authorization: Bearer $(grep -oE 'pin_[^[:space:]]+' "$work/key.out")" > "$work/key.txt"
  run serve serve --host 0.0.0.0 --allow-host localhost:8700 > "$work/serve.log" 2>&1 &
  curl -sS --fail --retry 120 --retry-delay 1 --retry-connrefused http://localhost:8700/readyz
  curl -sS --fail -H "@$work/key.txt" --data-binary "@$work/notes/README.md" "$url/documents?filename=README.md" > /dev/null
  for _ in $(seq 300); do
    if curl -sS --fail -H "@$work/key.txt" "$url/documents" | grep -q '"status": *"ready"'; then break; fi
    sleep 1
  done
  curl -sS --fail -H "@$work/key.txt" -H 'Content-Type: application/json' \
    --data '{"question": "what survives kill -9"}' "$url/search" > "$work/found.json"
  grep -q 'README.md' "$work/found.json"
}

prepare
use_mcp
use_serve
echo proved
