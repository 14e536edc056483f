#!/bin/sh
# Installs what the tests and the benchmarks need from the system: servers, wrk, gcc,
# taskset and venv. Silent when nothing is missing. Installs with apt-get as root or with
# passwordless sudo; otherwise says what to install and fails.
set -eu

PATH="$PATH:/usr/sbin:/sbin"
python="${PYTHON:-python3.11}"

has() {
    command -v "$1" >/dev/null 2>&1
}

missing=""
services=""
want() { # package [service that it starts]
    missing="$missing $1"
    services="$services ${2:-}"
}
need() { # command package [service that it starts]
    has "$1" || want "$2" "${3:-}"
}
need_file() { # pattern package [service that it starts]
    # The pattern is to be expanded.
    # shellcheck disable=SC2086
    ls $1 >/dev/null 2>&1 || want "$2" "${3:-}"
}

# A service may be a pattern of names in /etc/init.d.
need nginx nginx nginx
need haproxy haproxy haproxy
need_file '/usr/sbin/php-fpm*' php-fpm 'php*-fpm'
need_file '/usr/lib/php/*/pgsql.so' php-pgsql
need_file /usr/share/php/Illuminate/autoload.php php-laravel-framework
need_file '/usr/lib/postgresql/*/bin/initdb' postgresql postgresql
need pgbouncer pgbouncer pgbouncer
need redis-server redis-server redis-server
need setpriv util-linux
need node nodejs
need npm npm
need wrk wrk
need gcc gcc
need chromium chromium
need_file /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
need taskset util-linux
need ip iproute2
need openssl openssl
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

# The tests start their servers themselves; the services that the packages start are not wanted.
for service in $services; do
    for script in /etc/init.d/$service; do
        if [ -x "$script" ]; then
            $as_root service "${script##*/}" stop >/dev/null 2>&1 </dev/null || true
        fi
    done
done
