#!/bin/sh
# Runs once for an image and a state of this folder, as root, in a view of the folder that cannot be written.
set -e
chmod 755 /opt/scripted/scripted.sh
date >/opt/scripted/installed
