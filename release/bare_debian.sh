# Sourced by the proofs beside it: a Debian with Python alone, wheels for it, and no network inside.
#
#   install_debian ROOT                      a root file system in the folder ROOT (mmdebstrap, as root)
#   python_of ROOT                           the version of its Python, such as 3.11
#   download_wheels DIST EXTRAS FOLDER V     pincite[EXTRAS] of DIST with all that Python V needs, into FOLDER
#   run_without_network ROOT COMMAND...      COMMAND in ROOT, with a loopback interface alone

# SUITE names the release: bookworm has Python 3.11, trixie 3.13, forky 3.14. A mirror may lag behind: packages are
# checked by their signatures, not by the date of the list.
install_debian() {
  mkdir -p "$(dirname "$1")"  # mmdebstrap makes the last folder alone
  [ -d "$1" ] || mmdebstrap --variant=minbase --include=python3,python3-venv \
    --aptopt='Acquire::Check-Valid-Until "false"' "${SUITE:-bookworm}" "$1"
}

python_of() {
  chroot "$1" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])'
}

# Only wheels: a package that would have to be compiled ends the proof here.
download_wheels() {
  local dist=$1 extras=$2 folder=$3 version=$4 environment
  environment=$(mktemp -d)
  rm -rf "$folder"
  mkdir -p "$folder"
  "${PYTHON:-python3.11}" -m venv "$environment"
  "$environment/bin/python" -m pip download -qq --only-binary :all: --python-version "$version" --dest "$folder" --find-links "$dist" \
    "pincite[$extras] @ file://$(ls "$dist"/pincite-[0-9]*.whl)"
  rm -rf "$environment"
}

run_without_network() {
  local root=$1
  shift
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    unshare --net --pid --fork --mount-proc="$root/proc" bash -c '
      ip link set lo up 2> /dev/null || ifconfig lo up 2> /dev/null || true
      exec chroot "$@"' bash "$root" "$@"
}
