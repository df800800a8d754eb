import sys
from base64 import b64decode

import webhook

for line in sys.stdin:
    now, tolerance, body, secrets, headers = line.rstrip('\n').split('\t')
    secrets = [b64decode(secret).decode() for secret in secrets.split(',')]
    pairs = [tuple(b64decode(part).decode() for part in pair.split(':')) for pair in headers.split(',') if pair]
    try:
        print(webhook.verify(secrets, pairs, b64decode(body), int(now), int(tolerance))['id'])
    except webhook.Refused as refused:
        print(refused.reason)
