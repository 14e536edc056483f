#!/bin/sh
# Installs what the tests and the benchmarks need from the system: nginx, node, wrk, gcc,
# taskset and venv. Silent when nothing is missing. Installs with apt-get as root or with
# passwordless sudo; otherwise says what to install and fails.
set -eu

PATH="$PATH:/usr/sbin:/sbin"
python="${PYTHON:-python3.11}"

has() {
    command -v "$1" >/dev/null 2>&1
}

missing=""
need() { # command package
    has "$1" || missing="$missing $2"
}

need nginx nginx
need node nodejs
need wrk wrk
need gcc gcc
need taskset util-linux
has gcc && ! echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1 && missing="$missing libc6-dev"
if has "$python"; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing ${python##*/}-venv"
fi

[ -n "$missing" ] || exit 0

if ! has apt-get; then
    echo "missing:$missing (Debian package names); install them with this system's packager" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif has sudo && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "missing:$missing; run as root: apt-get install --no-install-recommends$missing" >&2
    exit 1
fi

echo "installing:$missing" >&2
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
install_packages() {
    # Word splitting is meant: both are lists.
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --quiet --no-install-recommends $missing </dev/null >"$log" 2>&1
}
# The package lists may be absent or old: try with what is there, then with fresh ones.
if ! install_packages; then
    $as_root apt-get update --quiet </dev/null >"$log" 2>&1 && install_packages || {
        cat "$log" >&2
        echo "apt-get failed; install these by hand:$missing" >&2
        exit 1
    }
fi

# The tests start nginx themselves; the service that the package starts is not wanted.
case "$missing " in
*" nginx "*) $as_root service nginx stop >/dev/null 2>&1 || true ;;
esac
