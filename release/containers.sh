#!/usr/bin/env bash
# Run the steps of deploy/containers/Containerfile where there is no container engine.
#
#   release/containers.sh DIST WORK
#
# WORK becomes a root of Debian 12 with Python alone (mmdebstrap, as root). What stands in `RUN`, `USER` and `CMD` is run
# in it without a network: both images in one root. The last line says "proved".
set -euo pipefail

dist=$(realpath "${1:?the folder with the wheels}")
work=$(realpath -m "${2:?a folder to work in}")
here=$(cd "$(dirname "$0")/.." && pwd)
root=$work/root
extras=$(sed -nE 's/.*"pincite\[([a-z0-9,]+)\] @.*/\1/p' "$here/deploy/containers/Containerfile")
. "$here/release/bare_debian.sh"

install_debian "$root"
rm -rf "$root/opt/pincite" "$root/var/lib/pincite" "$root/etc/pincite"
mkdir -p "$root/etc/pincite"
download_wheels "$dist" "$extras" "$root/wheels"
cp "$here/deploy/workspaces/pincite.toml" "$root/etc/pincite/"
cp "$here/README.md" "$root/var/lib/README.md"

cat > "$root/as_root.sh" <<'INSIDE'
set -euo pipefail
getent passwd pincite > /dev/null || {
  groupadd --gid 10001 pincite
  useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/pincite pincite
}
install -d -o pincite -g pincite -m 700 /var/lib/pincite
python3 -m venv /opt/pincite
/opt/pincite/bin/pip install --quiet --no-cache-dir --no-index --find-links /wheels "pincite[$1]"
exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs env HOME=/var/lib/pincite \
  PATH=/opt/pincite/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PINCITE_OFFLINE=1 bash /as_user.sh
INSIDE
cat > "$root/as_user.sh" <<'INSIDE'
set -euo pipefail
cd /var/lib/pincite
test "$(id -u)" = 10001
if touch /opt/pincite/x 2> /dev/null; then echo "the user may write to the program" >&2; exit 1; fi

echo "== mcp"
pincite index /var/lib/README.md
cat > messages.jsonl <<'JSON'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"proof","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_evidence","arguments":{"query":"what survives kill -9"}}}
JSON
pincite mcp < messages.jsonl > answers.jsonl
grep -q 'README.md' answers.jsonl

echo "== serve"
export PINCITE_CONFIG=/etc/pincite/pincite.toml PINCITE_INDEX=/var/lib/pincite/index
export PINCITE_CACHE=/var/lib/pincite/embeddings.db PINCITE_RATES=/var/lib/pincite/rates.db
pincite workspace migrate
pincite serve --port 0 > serve.log 2>&1 &
server=$!
python3 - <<'PYTHON'
import re, time, urllib.request
for _ in range(300):
    found = re.search(r"http://127\.0\.0\.1:\d+", open("serve.log").read())
    if found:
        break
    time.sleep(0.2)
else:
    raise SystemExit(open("serve.log").read())
for _ in range(100):
    try:
        with urllib.request.urlopen(f"{found[0]}/openapi.json") as answer:
            print(answer.status, len(answer.read()), "bytes of openapi.json")
            break
    except OSError:
        time.sleep(0.2)
else:
    raise SystemExit(open("serve.log").read())
PYTHON
kill -INT "$server"
wait "$server" || true
INSIDE
run_without_network "$root" /bin/bash /as_root.sh "$extras"
echo proved
