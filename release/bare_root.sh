#!/usr/bin/env bash
# Install what `make dist` built where there is neither compiler, git nor network, and use it.
#
#   release/bare_root.sh DIST WORK
#
# WORK becomes a root of Debian 12 with Python alone (mmdebstrap, as root), or of the release that
# SUITE names: SUITE=forky has Python 3.14. Wheels of dependencies are downloaded outside it;
# everything inside runs without a network. The last line says "proved", and on which Python.
set -euo pipefail

dist=$(realpath "${1:?the folder with the wheels}")
work=$(realpath -m "${2:?a folder to work in}")
here=$(cd "$(dirname "$0")/.." && pwd)
root=$work/root
. "$here/release/bare_debian.sh"

install_debian "$root"
rm -rf "$root/opt/pincite" "$root/home/reader"
mkdir -p "$root/home/reader/notes"
download_wheels "$dist" "${EXTRAS:-model}" "$root/opt/pincite/wheels" "$(python_of "$root")"
cp "$here/README.md" "$root/home/reader/notes/"
cp "$here/src/pincite/errors.py" "$root/home/reader/notes/"

cat > "$root/opt/pincite/use.sh" <<'INSIDE'
set -euo pipefail
for tool in gcc cc g++ make git curl; do
  if command -v "$tool"; then echo "this root has $tool" >&2; exit 1; fi
done
export HOME=/home/reader PATH=/opt/pincite/venv/bin:$PATH LC_ALL=C.UTF-8
python3 -m venv /opt/pincite/venv
pip install --quiet --no-index --find-links /opt/pincite/wheels "pincite[model]"
cd "$HOME"
pincite index notes
pincite status | tee status.txt
grep -q all-MiniLM-L6-v2 status.txt
pincite search "what survives kill -9" -n 2 --json > pack.json
pincite search "which error says that a disk has no room?" -n 1
pincite verify pack.json
sed -i 's/./x/g' notes/README.md
{ pincite verify pack.json || true; } | tee verified.txt
grep -q '^changed\|^deleted' verified.txt
pincite models verify
pincite models
test ! -e "$HOME/.cache/pincite/models/all-MiniLM-L6-v2"
echo "pip: $(pip list --format=freeze | wc -l) packages," \
  "$(du -sm --apparent-size /opt/pincite/venv | cut -f1) MB"
INSIDE
run_without_network "$root" /bin/bash /opt/pincite/use.sh
echo "proved on Python $(python_of "$root")"
