#!/bin/sh
# Says what this machine lacks, all of it at once, before anything is downloaded or compiled.
missing=0

lacks() { # what, on Debian, on macOS
    missing=1
    echo "Missing: $1"
    case $(uname -s) in
        Darwin) echo "  Get it with: $3" ;;
        *) echo "  Get it with: $2" ;;
    esac
}

python=$("$(dirname "$0")/find_python.sh")
if [ -z "$python" ]; then
    lacks "Python 3.11 or newer (PYTHON=/path/to/python names one that is not found)" \
        "sudo apt install python3 python3-venv" "brew install python"
elif ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    lacks "the venv module of $python" "sudo apt install python$version-venv" "brew install python"
fi

command -v git >/dev/null 2>&1 || lacks "git" "sudo apt install git" "xcode-select --install"

if ! echo '#include <vector>
int main() { return 0; }' | c++ -x c++ -c -o /dev/null - >/dev/null 2>&1; then
    lacks "a C++ compiler that works (c++), for the local model" \
        "sudo apt install g++" "xcode-select --install"
fi

room=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024) }')
[ "$room" -ge 2000 ] || lacks "disk space: $room MB are free here, 2000 MB are needed" \
    "sudo apt clean, or another folder" "another folder"

[ "$missing" = 0 ] || { echo "Then try again."; exit 1; }
