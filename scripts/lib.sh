# Shared by the scripts beside it.

fail() {
  echo "$*" >&2
  exit 1
}

# Installs a Debian package where that can be done without asking; otherwise returns 1.
apt_install() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  echo "Installing the Debian package $1 …"
  apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}
