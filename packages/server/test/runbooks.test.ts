import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newDatabase } from '@trunkline/test-postgres';
import { only, until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { CHART, renderChart } from './deploy/helm-chart.ts';
import { runCommand } from './support/command-process.ts';
import { brokenReceiver, canMount, fill, lineTo, startNginx } from './support/faults.ts';
import { operatorsMachine } from './support/operators-machine.ts';
import type { OperatorsMachine } from './support/operators-machine.ts';
import { rehearse, RUNBOOKS } from './support/runbook.ts';
import { API_KEY } from './support/test-client.ts';

/** Whether to rehearse pages that need several servers, or other programs. */
const ALL = process.env['RUNBOOKS'] === '1';
/** Whether to rehearse more than the page with the fewest commands. Each command starts a program. */
const SOME = ALL || isLongForm;

const BOOKED = 'Your table is booked for 20:00.';
/** The page shows this URL instead of the receiver's, which is as long. */
const HOOK = 'https://shop.example.com/in';

async function withNumber(machine: OperatorsMachine): Promise<string> {
  await machine.start();
  const { client } = machine;
  const { id: instance } = await client.createInstance();
  await client.request('PATCH', `/api/v1/instances/${instance}`, { body: { name: 'Front desk' } });
  await client.request('POST', `/api/v1/instances/${instance}/connect`);
  await scan(machine, instance);
  await isConnected(machine, instance);
  return instance;
}

async function scan({ client }: OperatorsMachine, instance: string): Promise<void> {
  await until('a QR is shown', async () => (await client.instance(instance)).status === 'qr_required');
  const { status } = await client.request('POST', `/sandbox/instances/${instance}/scan`, {
    body: { phone_number: '15550142', profile_name: 'Acme' },
  });
  expect(status).toBe(202);
}

/** Scans the QR of the next number, on the database where the number is created. */
async function scanNewNumber(machine: OperatorsMachine): Promise<string> {
  const id = await until('there is a new number', async () => {
    const reply = await machine.client.request('GET', '/api/v1/instances').catch(() => null);
    return /"(ins_\w+)"(?:(?!"id":).)*"status":"qr_required"/.exec(JSON.stringify(reply?.body))?.[1];
  });
  await scan(machine, id);
  return id;
}

async function isConnected({ client }: OperatorsMachine, instance: string): Promise<void> {
  await until('it is connected', async () => (await client.instance(instance)).status === 'connected');
}

// The pages share a server with a connected number, because a start takes longer than most pages. Each page must leave
// such a server behind.
describe('The runbook, on one server,', () => {
  let machine: OperatorsMachine;
  let instance: string;
  const data = '/var/lib/trunkline/data';
  beforeAll(async () => {
    machine = await operatorsMachine({ settings: ['webhook_url_policy = "local"'] });
    instance = await withNumber(machine);
    if (SOME) await backUp('monday');
    return () => machine.stop();
  });
  const backUp = async (name: string): Promise<void> => {
    const args = ['backup', machine.path(`/var/backups/trunkline/${name}`)];
    const result = await runCommand(args, { cwd: machine.path('/var/lib/trunkline') });
    expect(result).toMatchObject({ code: 0 });
  };

  it('it-never-arrived.md leads from a customer to the state of the message', async () => {
    const { id } = await machine.client.send({ instance, to: '15550001', text: BOOKED });
    await until('it is sent', async () => (await machine.client.message(id)).status === 'sent');
    const page = await rehearse('it-never-arrived.md', machine);
    await page.follow();
    await page.follow();
    page.end();
  });

  it.runIf(SOME)(
    'a-webhook-fails.md leads from a receiver that is down to one that has got everything',
    async () => {
      const { client } = machine;
      const receiver = await brokenReceiver();
      const { id: webhook } = await client.registerWebhook(receiver.url, ['message.read']);
      await client.send({ instance, to: '15550123', text: BOOKED });
      await until('it failed', async () => {
        const { body } = await client.request('GET', `/api/v1/webhooks/${webhook}/deliveries`);
        return JSON.stringify(body).includes('503');
      });
      const page = await rehearse('a-webhook-fails.md', machine, [[receiver.url, HOOK]]);
      await page.follow();
      receiver.fix();
      await page.follow();
      page.end();
      await client.request('DELETE', `/api/v1/webhooks/${webhook}`);
    },
  );

  it.runIf(SOME)(
    'a-number-is-down.md leads from a number that was logged out to one that is connected',
    async () => {
      await machine.client.request('POST', `/sandbox/instances/${instance}/unlink`);
      await until(
        'it is down',
        async () => (await machine.client.instance(instance)).status === 'logged_out',
      );
      const page = await rehearse('a-number-is-down.md', machine);
      await page.follow();
      await Promise.all([page.follow(), scan(machine, instance)]);
      page.end();
    },
  );

  it.runIf(SOME)('restore.md leads from a database that is damaged to one from a backup', async () => {
    await backUp('yesterday');
    await machine.stop();
    writeFileSync(machine.path(`${data}/trunkline.db`), 'Once upon a time there was a database.');
    await machine.start();
    const page = await rehearse('restore.md', machine);
    await page.follow();
    await isConnected(machine, instance);
    await page.follow();
    page.end();
  });

  it.runIf(ALL)('upgrade.md leads to a new version, and back to the previous one', async () => {
    // When this `npm` installs the previous version, the database looks as if the new version had changed it.
    const upgrade = `new (require('node:sqlite').DatabaseSync)('${machine.path(`${data}/trunkline.db`)}').exec('PRAGMA user_version = 104')`;
    machine.install('/bin/npm', `case $* in *@1.0.0) exec '${process.execPath}' -e "${upgrade}" ;; esac`);
    const page = await rehearse('upgrade.md', machine, [[/up to date \([\d.]+ s\)/g, 'up to date (0.2 s)']]);
    await page.follow();
    await isConnected(machine, instance);
    await page.follow();
    await page.follow();
    page.end();
    await isConnected(machine, instance);
  });

  it.runIf(ALL)('litestream.md leads from a copy of the database alone to a server that runs', async () => {
    await backUp('copied');
    const copy = machine.path('/var/backups/trunkline/copied/trunkline.db');
    machine.install('/bin/litestream', `for place; do :; done; exec cp '${copy}' "$place"`);
    await machine.stop();
    rmSync(machine.path(data), { recursive: true });
    const page = await rehearse('litestream.md', machine);
    await page.follow();
    await isConnected(machine, instance);
    await page.follow();
    page.end();
  });

  it.runIf(ALL)('the-key-is-lost.md leads to a copy of the key, or to a fresh start', async () => {
    await machine.stop();
    rmSync(machine.path(`${data}/secret.key`));
    await machine.start();
    const page = await rehearse('the-key-is-lost.md', machine, [[/^(?:copied|yesterday|before-).*\n/gm, '']]);
    await page.follow();
    await page.follow();
    const scanned = scanNewNumber(machine);
    await page.follow();
    instance = await scanned;
    page.end();
  });
});

describe('The runbook', () => {
  it.runIf(SOME && canMount)('the-disk-is-full.md leads from a full disk to room on it', async () => {
    const machine = await operatorsMachine({ diskMb: 16 });
    onTestFinished(() => machine.stop());
    const instance = await withNumber(machine);
    mkdirSync(machine.path('/var/lib/trunkline/october'));
    fill(machine.path('/var/lib/trunkline/october/trunkline.db'));
    const { status } = await machine.client.request('POST', '/api/v1/messages', {
      body: { instance, to: '15550123', type: 'text', text: BOOKED },
    });
    expect(status).toBe(503);
    const page = await rehearse('the-disk-is-full.md', machine, [
      [/^[\d.]+[KM](?=\s+\/var\/lib\/trunkline\/data$)/gm, '2.5M'],
      [/^[\d.]+M(?=\s+\/var\/lib\/trunkline\/october$)/gm, '14M'],
    ]);
    await page.follow();
    await page.follow();
    page.end();
    await machine.client.send({ instance, to: '15550123', text: BOOKED });
  });

  it.runIf(ALL)(
    'move-to-postgres.md leads from SQLite to PostgreSQL, and postgres-is-away.md through an outage of that',
    async () => {
      const machine = await operatorsMachine();
      onTestFinished(() => machine.stop());
      const instance = await withNumber(machine);
      await machine.client.send({ instance, to: '15550123', text: BOOKED });
      const line = await lineTo((await newDatabase()).url);
      const { username, host, pathname } = new URL(line.url);
      const names = [
        [line.url, 'postgres://trunkline:password@db.example.com/trunkline'],
        [`postgres://${username}@${host}${pathname}`, 'postgres://trunkline@db.example.com/trunkline'],
        [/\d+, each compared \(\d+ per second\)/g, '24, each compared (120 per second)'],
        [host, '10.0.0.5:5432'],
      ] as const;
      const move = await rehearse('move-to-postgres.md', machine, names);
      await move.follow();
      await move.follow();
      await isConnected(machine, instance);
      await move.follow();
      move.end();

      await line.cut();
      const away = await rehearse('postgres-is-away.md', machine, names);
      await away.follow();
      line.fix();
      await away.follow();
      await isConnected(machine, instance);
      await away.follow();
      away.end();
    },
  );

  it.runIf(ALL)(
    'behind-nginx.md leads from an upload that is too large for nginx to one that arrives',
    async () => {
      const machine = await operatorsMachine({ settings: ['public_url = "https://messages.example.com"'] });
      onTestFinished(() => machine.stop());
      const instance = await withNumber(machine);
      const nginx = await startNginx(machine);
      const file = machine.path('/var/lib/trunkline/catalogue.pdf');
      writeFileSync(file, Buffer.alloc(2_000_000));
      // curl, like other clients that send a large file, reads a response that arrives before everything is sent.
      const upload = async (): Promise<string> => {
        const form = [`instance=${instance}`, 'to=15550123', 'type=document', `file=@${file}`];
        const args = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}'];
        args.push('--header', `Authorization: Bearer ${API_KEY}`);
        for (const field of form) args.push('--form', field);
        const { stdout } = await promisify(execFile)('curl', [...args, `${nginx.url}/api/v1/messages`]);
        return stdout;
      };
      expect(await upload()).toBe('413');
      const page = await rehearse('behind-nginx.md', machine, [
        [nginx.url, 'https://messages.example.com'],
        [
          /\d+#\d+: \*\d+ client intended.*/g,
          '4711#4711: *3 client intended to send too large body: 2000623 bytes, …',
        ],
      ]);
      await page.follow();
      await page.follow();
      page.end();
      await until('the new configuration is in use', async () => (await upload()) === '202');
    },
  );

  it('on-kubernetes.md names parts that the chart and the image have', () => {
    const page = readFileSync(new URL('on-kubernetes.md', RUNBOOKS), 'utf8');
    const deployment = only(renderChart({}, 'trunkline').filter(({ kind }) => kind === 'Deployment'));
    const template = JSON.stringify(deployment['spec']);
    const named = (pattern: RegExp): readonly string[] => [
      ...new Set([...page.matchAll(pattern)].map(([, name = '']) => name)),
    ];
    expect(named(/deployment[/ ]([\w-]+)/g)).toEqual([deployment.metadata.name]);
    for (const container of named(/--container ([\w-]+)/g))
      expect(template).toContain(`{"name":"${container}","image"`);
    const [label = '', value = ''] = only(named(/--selector (\S+)/g)).split('=');
    expect(template).toContain(`"${label}":"${value}"`);
    const image = readFileSync(join(CHART, '../../Dockerfile'), 'utf8');
    for (const program of named(/-- node (\S+)/g))
      expect(image).toContain(`ENTRYPOINT ["node", "${program}"]`);
    expect(named(/kubectl (\w+)/g).toSorted()).toEqual([
      'describe',
      'exec',
      'get',
      'logs',
      'rollout',
      'scale',
    ]);
  });
});
