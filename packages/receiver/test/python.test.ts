import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { vectors } from '@trunkline/receiver/testing';

const hasPython = spawnSync('python3', ['--version']).status === 0;

/**
 * A verifier written from the Standard Webhooks specification ("Verifying webhook authenticity"). It uses neither our
 * code nor their Python library.
 */
const BY_SPECIFICATION = `
import base64, hashlib, hmac, json, sys

def signature(secret, headers, body):
    key = base64.b64decode(secret.removeprefix('whsec_'), validate=True)
    if not 24 <= len(key) <= 64:
        raise ValueError('a key has 24 to 64 bytes')
    signed = b'.'.join([headers['webhook-id'].encode(), headers['webhook-timestamp'].encode(), body])
    return 'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

vectors = json.load(open(sys.argv[1]))
signatures = []
for one in vectors['standard_signatures']:
    headers = {'webhook-id': one['id'], 'webhook-timestamp': one['timestamp']}
    try:
        signatures.append(signature(one['secret'], headers, base64.b64decode(one['body'])))
    except ValueError:
        signatures.append(None)
accepted = []
for request in vectors['standard_requests']:
    secrets = request['secret'] if isinstance(request['secret'], list) else [request['secret']]
    headers = {name.lower(): value for name, value in request['headers'].items()}
    body = base64.b64decode(request['body'])
    try:
        on_time = abs(request['received_at'] - int(headers['webhook-timestamp'])) <= 300
        given = headers['webhook-signature'].split(' ')
        matches = any(
            hmac.compare_digest(one.encode(), signature(secret, headers, body).encode())
            for secret in secrets
            for one in given
        )
        accepted.append(on_time and matches)
    except (AttributeError, KeyError, TypeError, ValueError):
        accepted.append(False)
print(json.dumps({'signatures': signatures, 'accepted': accepted}))
`;

describe('a Python program by the text of Standard Webhooks', () => {
  const isPadded = (secret: string): boolean => secret.replace('whsec_', '').length % 4 === 0;

  it('makes the signatures of the vectors, and accepts the requests that the receiver accepts', async ({
    skip,
  }) => {
    if (!hasPython) return skip('this machine has no python3');
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-python-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'check.py'), BY_SPECIFICATION);
    await writeFile(join(folder, 'signature.json'), JSON.stringify(vectors));
    const { stdout } = await promisify(execFile)('python3', ['check.py', 'signature.json'], { cwd: folder });
    const { signatures, accepted } = JSON.parse(stdout) as { signatures: string[]; accepted: boolean[] };

    // Python refuses older secrets, which are unpadded base64url.
    const made = vectors.standard_signatures.map(({ signature }, index) => [signature, signatures[index]]);
    const ofPadded = made.filter((_, index) => isPadded(vectors.standard_signatures[index]?.secret ?? ''));
    expect(ofPadded.length).toBeGreaterThan(0);
    expect(ofPadded.filter(([expected, signature]) => signature !== expected)).toEqual([]);

    // The program does not support the service's own headers, which take precedence.
    const requests = vectors.standard_requests
      .map((vector, index) => ({ vector, accepted: accepted[index] }))
      .filter(({ vector }) => !Object.keys(vector.headers).some((name) => /^x-service/i.test(name)));
    const right = requests.filter(({ vector }) => vector.expect.ok && [vector.secret].flat().every(isPadded));
    expect(right.length).toBeGreaterThan(0);
    expect(right.filter((request) => !request.accepted)).toEqual([]);
    const forged = requests.filter(
      ({ vector }) => !vector.expect.ok && vector.expect.reason === 'signature_mismatch',
    );
    expect(forged.length).toBeGreaterThan(0);
    expect(forged.filter((request) => request.accepted)).toEqual([]);
  });
});
