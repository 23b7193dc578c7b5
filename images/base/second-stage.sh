#!/bin/sh
# Sets up the packages of a root file system whose first files are unpacked but
# not yet known to dpkg. Runs once, in a container without network.
# Follows debootstrap's second stage. Arguments: the packages to install first.
set -eu
export DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true LC_ALL=C
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd /.seatrial-base

mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates /var/lib/dpkg/triggers
: >/var/lib/dpkg/status
: >/var/lib/dpkg/available
/sbin/ldconfig
[ -e /usr/bin/awk ] || ln -s mawk /usr/bin/awk
[ -e /etc/localtime ] || ln -s /usr/share/zoneinfo/UTC /etc/localtime

for package in "$@"; do
	dpkg --force-depends --force-unsafe-io --install "debs/$package.deb"
done
dpkg --force-depends --force-unsafe-io --unpack debs/*.deb
dpkg --force-depends --force-unsafe-io --force-configure-any --configure --pending
[ -z "$(dpkg --audit)" ]
apt-get --version >/dev/null
