#!/bin/sh
# Prints new secrets of an installation, one NAME=value a line.
set -eu
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
echo "CMS_SECRET_KEY=$(random)"
echo "CMS_PASSWORD_PEPPERS=p1:$(random)"
echo "CMS_DATABASE_PASSWORD=$(random)"
