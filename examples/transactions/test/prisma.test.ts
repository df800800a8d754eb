import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDatabase } from '@trunkline/test-postgres';
import { HANG_MS } from '@trunkline/test-support';
import { startProgram } from '@trunkline/test-support/start-program';

const EXAMPLE = fileURLToPath(new URL('..', import.meta.url));

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "generated"
}
datasource db {
  provider = "postgresql"
}
model Order {
  id   String @id
  item String
  @@map("orders")
}`;

/** Places orders with the program of the page, and prints the stored rows. */
const MAIN = `
import { setTimeout } from 'node:timers/promises';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { postgresStorage } from '@trunkline/storage-postgres';
import { placeOrder, prisma } from './prisma.ts';

const { gateway } = createSandbox({ scansQrs: true });
const storage = postgresStorage({ connectionString: process.env.DATABASE_URL ?? '' });
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways: [gateway], secretKey: 'x'.repeat(32) });
await trunkline.start();
await prisma.$executeRawUnsafe(
  'CREATE TABLE orders (id text PRIMARY KEY, item text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED)',
);
const api = trunkline.workspace((await trunkline.admin.workspaces.create({ name: 'Acme' })).id);
const { id: instance } = await api.instances.create();
await api.instances.connect(instance);
while ((await api.instances.get(instance)).status !== 'connected') await setTimeout(20);
const phone = '+1 555 0100';
await Promise.all(['1', '2', '3'].map((id) => placeOrder(api, { id, item: 'shoes ' + id, phone, instance })));
const outcome = (order: object) => placeOrder(api, { phone, instance, ...order }).then(() => 'placed', ({ code }) => code);
console.log('refused', await outcome({ id: '4', item: 'hats', phone: 'nobody' }));
console.log('twice', (await outcome({ id: '5', item: 'shoes 1' })) === 'placed');
const orders = await prisma.order.findMany({ orderBy: { id: 'asc' } });
const { data } = await api.messages.list();
console.log(orders.map(({ id }) => id).join(), data.map(({ text }) => text).toSorted().join());
while ((await api.messages.list()).data.some(({ status }) => status !== 'read')) await setTimeout(20);
await prisma.$disconnect();
await trunkline.stop();
process.exit();
`;

// With PRISMA=1, runs with Prisma itself, which takes 300 MB.
describe.runIf(process.env['PRISMA'] === '1')(
  'an order and its message in one transaction, by Prisma',
  () => {
    it(
      'are stored together at the commit, or not at all',
      async () => {
        const { url } = await newDatabase();
        const folder = await mkdtemp(join(tmpdir(), 'trunkline-prisma-'));
        onTestFinished(() => rm(folder, { recursive: true, force: true }));
        const run = async (command: string, ...args: readonly string[]): Promise<string> => {
          const program = startProgram(command, {
            args,
            cwd: folder,
            env: {
              ...process.env,
              PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
              DATABASE_URL: url,
              CHECKPOINT_DISABLE: '1',
              PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', // only migrations need this, and it does not come from npm
            },
          });
          expect([await program.ended, program.stderr()]).toEqual([0, expect.anything()]);
          return program.stdout();
        };
        await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
        const packages = ['prisma@7', '@prisma/client@7', '@prisma/adapter-pg@7', 'pg@8'];
        await run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages);
        await mkdir(join(folder, 'node_modules/@trunkline'));
        for (const name of ['core', 'storage-postgres'])
          await symlink(
            join(EXAMPLE, 'node_modules/@trunkline', name),
            join(folder, 'node_modules/@trunkline', name),
          );
        const page = await readFile(join(EXAMPLE, '../../docs/embed/transactions.md'), 'utf8');
        const program = Array.from(page.matchAll(/^```tsx\n(.*?)^```$/gms), ([, code = '']) => code).at(-1);
        await writeFile(join(folder, 'prisma.ts'), program ?? '');
        await cp(join(EXAMPLE, 'src/order.ts'), join(folder, 'order.ts'));
        await writeFile(join(folder, 'schema.prisma'), SCHEMA);
        await writeFile(join(folder, 'prisma.config.ts'), "export default { schema: 'schema.prisma' };");
        await writeFile(join(folder, 'main.ts'), MAIN);
        await run('node_modules/.bin/prisma', 'generate');
        const output = await run(process.execPath, '--conditions=source', 'main.ts');
        expect(output.split('\n')).toEqual([
          'refused INVALID_RECIPIENT',
          'twice false',
          '1,2,3 On its way: shoes 1,On its way: shoes 2,On its way: shoes 3',
          '',
        ]);
      },
      10 * HANG_MS,
    );
  },
);
