#!/bin/sh
# A program as an agent: waypost listen --as family --domain family --exec examples/answer.sh
# What it prints is the answer. The whole payload is on its standard input, as JSON.

case $WAYPOST_KIND in
query) echo "Mon/Wed/Fri 4-5pm" ;;
delegate)
    case $WAYPOST_TASK in
    *Sunday*) echo "not on Sundays" >&2; exit 75 ;; # refuses, and says why
    Paint*) echo "begun"; sleep 3600 ;;             # its first output takes the task
    *) echo "Done, she said okay" ;;
    esac
    ;;
esac
