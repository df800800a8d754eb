import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vectors } from '@trunkline/receiver/testing';
import { HANG_MS } from '@trunkline/test-support';
import { runAttack } from '../src/attack/run-attack.ts';
import { readmePython } from './support/readme.ts';
import { spawnProgram, type Running } from './support/spawn-program.ts';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Runs every vector through the program's own `verify`, and prints what it returned. */
const CHECK = `
import base64, json, sys
import receiver

results = []
for request in json.load(open(sys.argv[1]))['requests']:
    secrets = request['secret'] if isinstance(request['secret'], list) else [request['secret']]
    headers = [
        (name, value)
        for name, values in request['headers'].items()
        for value in (values if isinstance(values, list) else [values])
    ]
    body = base64.b64decode(request['body'])
    try:
        event = receiver.verify(secrets, headers, body, request['received_at'], request.get('tolerance', 300))
        results.append(event['id'])
    except receiver.Refused as refused:
        results.append(refused.reason)
print(json.dumps(results))
`;

describe('the Python receiver of the README', () => {
  let folder = '';
  let server: Running | undefined;
  beforeAll(async () => {
    if (!hasPython) return;
    folder = await mkdtemp(join(tmpdir(), 'trunkline-python-'));
    await writeFile(join(folder, 'receiver.py'), readmePython());
    await writeFile(join(folder, 'check.py'), CHECK);
    await writeFile(join(folder, 'signature.json'), JSON.stringify(vectors));
    const env = { WEBHOOK_SECRET: secret };
    server = await spawnProgram({ command: 'python3', args: [join(folder, 'receiver.py')], env });
  });
  afterAll(async () => {
    await server?.stop();
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  it('passes every vector', async ({ skip }) => {
    if (!hasPython) return skip('this machine has no python3');
    const { stdout } = await promisify(execFile)('python3', ['check.py', 'signature.json'], { cwd: folder });
    const expected = vectors.requests.map(({ expect: response }) =>
      response.ok ? response.event_id : response.reason,
    );
    const wrong = (JSON.parse(stdout) as string[]).flatMap((response, index) =>
      response === expected[index] ? [] : [`${vectors.requests[index]?.name}: ${response}`],
    );
    expect(wrong).toEqual([]);
  });

  it('withstands the attack', async ({ skip }) => {
    if (server === undefined) return skip('this machine has no python3');
    const wrong: string[] = [];
    const { right } = await runAttack({
      url: new URL(server.url),
      secret,
      timeoutMs: HANG_MS,
      limitMs: 4 * HANG_MS,
      onVerdict: (name, verdict) => verdict.right || wrong.push(`${name}: ${verdict.what}`),
    });
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(55);
    expect(server.output()).toContain('webhook.test');
  });
});
