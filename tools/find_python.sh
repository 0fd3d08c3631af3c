#!/bin/sh
# Prints the first Python of this machine that is 3.11 or newer; nothing where there is none.
for name in "${PYTHON:-python3}" python3.13 python3.12 python3.11 python3.14; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
exit 1
