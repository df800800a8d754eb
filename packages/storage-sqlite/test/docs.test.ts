import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { HANG_MS, must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Connects an instance of the sandbox, which the programs of the docs take for granted. */
const CONNECTED = `
const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
const api = trunkline.workspace(id);
const { id: instance } = await api.instances.create();
await api.instances.connect(instance);
const until = async (look) => { while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 20)); };
await until(async () => (await api.instances.get(instance)).status === 'qr_required');
await sandbox.phone(instance).scan();
await until(async () => (await api.instances.get(instance)).status === 'connected');
const sent = async () => (await api.messages.list({ direction: 'outbound' })).data.filter(({ sent_at }) => sent_at);
`;

it('the page on events shows a handler that replies', async () => {
  const program = programOf('../../../docs/events.md', 'trunkline.on(');
  const driver = `
    await sandbox.phone(instance).receive({ from: '15550100', text: 'Hello' });
    await until(async () => (await sent()).length === 1);
    console.log((await sent()).map(({ to, text }) => [to, text]));
    console.log((await trunkline.admin.subscriptions.list()).map(({ name, types }) => [name, types]));
    await trunkline.stop();`;
  expect(await run([program, CONNECTED, driver])).toBe(
    "[ [ '15550100', 'You wrote: Hello' ] ]\n[ [ 'replies', [ 'message.received' ] ] ]\n",
  );
});

it.runIf(isLongForm)('the README shows an order and its message in one transaction', async () => {
  const service = programOf('../../../docs/events.md', 'trunkline.on(');
  const program = programOf('../README.md', 'BEGIN IMMEDIATE');
  const driver = `
    await placeOrder('order-1', 'A chair', '15550100');
    await placeOrder('order-2', 'A table', 'nobody').catch(({ code }) => console.log(code));
    await until(async () => (await sent()).length === 1);
    console.log((await sent())[0].text, app.prepare('SELECT id FROM orders').all().length);
    await trunkline.stop();`;
  expect(await run([service, CONNECTED, program, driver])).toBe('INVALID_RECIPIENT\nOn its way: A chair 1\n');
});

function programOf(page: string, text: string): string {
  const content = readFileSync(new URL(page, import.meta.url), 'utf8');
  const programs = [...content.matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => must(program));
  return must(programs.find((program) => program.includes(text)));
}

async function run(programs: readonly string[]): Promise<string> {
  const path = JSON.stringify(join(temporaryDirectory(), 'test.db'));
  const program = programs.join('\n').replaceAll("'./trunkline.db'", path);
  const args = ['--conditions=source', '--input-type=module-typescript', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, SECRET_KEY: 'a secret key of at least 32 characters' },
    timeout: HANG_MS,
  });
  return stdout;
}
