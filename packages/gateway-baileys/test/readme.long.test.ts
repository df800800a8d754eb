import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { startProgram } from '@trunkline/test-support/start-program';
import { expect, it, onTestFinished } from 'vitest';

const PRELOAD = new URL('support/programs/on-fake-whatsapp.ts', import.meta.url).href;

it('the README shows a program that links a phone and replies to those who write', async () => {
  const wa = await spawnFakeWhatsApp();
  onTestFinished(() => wa.stop());
  const account = await wa.account('5511900000001', { name: 'Shop' });
  const bob = await wa.person('5511988887777', { name: 'Bob' });
  const lines = run(readmeProgram(), { FAKE_WHATSAPP: JSON.stringify(wa.client) });
  const next = async (): Promise<string> => String((await lines.next()).value);

  await wa.scanQr(account, (await next()).replace('Scan: ', ''));
  expect(await next()).toBe('Linked 5511900000001');
  await wa.inbound(bob, account, 'Hello');
  expect(await wa.nextMessage()).toMatchObject({
    toPhoneNumber: bob.phoneNumber,
    content: { text: 'You wrote: Hello' },
  });
});

function readmeProgram(): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  return /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
}

function run(program: string, env: Readonly<Record<string, string>>): AsyncIterator<string> {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-readme-'));
  const here = program.replaceAll(/'\.\/(trunkline\.db|media)'/g, (_, name) =>
    JSON.stringify(join(directory, name)),
  );
  const child = startProgram(process.execPath, {
    args: [`--import=${PRELOAD}`, '--conditions=source', '--input-type=module-typescript', '--eval', here],
    cwd: new URL('..', import.meta.url),
    env: { ...process.env, ...env, SECRET_KEY: 'a secret key of at least 32 characters' },
  });
  onTestFinished(async () => {
    await child.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  return child.lines();
}
