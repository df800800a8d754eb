import sys
from base64 import b64decode

from library import receive

for line in sys.stdin:
    _, _, body, _, headers = line.rstrip('\n').split('\t')
    headers = dict(tuple(b64decode(part).decode() for part in pair.split(':')) for pair in headers.split(','))
    print('accepted' if receive(headers, b64decode(body)) else 'refused')
