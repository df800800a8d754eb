#!/bin/sh
# Runs a command beside a Trunkline on the sandbox network: sh ci/with-trunkline.sh npm test
set -eu
export API_KEY=a-key-for-this-run-alone PORT="${PORT:-8080}"
export TRUNKLINE_API_KEY=$API_KEY TRUNKLINE_URL="http://127.0.0.1:$PORT"

folder=$(mktemp -d)
DATA_DIR=$folder/data WEBHOOK_URL_POLICY=local RATE_LIMIT=0 trunkline serve >"$folder/log" 2>&1 &
server=$!
trap 'status=$?; [ $status = 0 ] || cat "$folder/log"; kill $server; wait $server || true; rm -r "$folder"' EXIT

tries=0
until curl --silent --fail --output /dev/null "$TRUNKLINE_URL/readyz"; do
  tries=$((tries + 1))
  [ $tries -lt 300 ] && kill -0 $server || exit 1
  sleep 0.2
done
INSTANCE=$(trunkline connect --scan | grep -o 'ins_[a-z0-9]*' | head -1)
export INSTANCE

"$@"
