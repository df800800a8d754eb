import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { newDatabase } from '@trunkline/test-postgres';
import { HANG_MS, must } from '@trunkline/test-support';

const DRIVER = `
const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
const api = trunkline.workspace(workspaceId);
const { id: instance } = await api.instances.create();
await api.instances.connect(instance);
const until = async (look) => { while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 20)); };
await until(async () => (await api.instances.get(instance)).status === 'qr_required');
await sandbox.phone(instance).scan();
await until(async () => (await api.instances.get(instance)).status === 'connected');
await placeOrder(workspaceId, instance, { id: 'order-1', item: 'A chair', phone: '15550100' });
await placeOrder(workspaceId, instance, { id: 'order-2', item: 'A table', phone: 'nobody' })
  .catch(({ code }) => console.log(code));
const sent = async () => (await api.messages.list({ direction: 'outbound' })).data.filter(({ sent_at }) => sent_at);
await until(async () => (await sent()).length === 1);
console.log((await sent())[0].text, (await pool.query('SELECT id FROM orders')).rows);
await trunkline.stop();
await pool.end();`;

it('the README shows an order and its message in one transaction', async () => {
  const { url } = await newDatabase();
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => must(program));
  const program = must(programs.find((one) => one.includes('placeOrder')));
  const args = ['--conditions=source', '--input-type=module-typescript', '--eval', program + DRIVER];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...process.env,
      SECRET_KEY: 'a secret key of at least 32 characters',
      DATABASE_URL: url,
    },
    timeout: HANG_MS,
  });
  expect(stdout).toBe("INVALID_RECIPIENT\nOn its way: A chair [ { id: 'order-1' } ]\n");
});
