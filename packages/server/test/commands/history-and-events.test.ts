import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { callCommand, exitCodeOf } from '../support/command-call.ts';
import type { CallOutcome } from '../support/command-call.ts';
import { runCommand, startCommand, startCommandHarness } from '../support/command-process.ts';
import type { CommandHarness } from '../support/command-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { testClient } from '../support/test-client.ts';

const HOSTILE = '\u001b]0;owned\u0007\u202e\r\nforged';
const PRINTED = '\\u001b]0;owned\\u0007\\u202e\\u000d\\u000aforged';

type Row = Readonly<Record<string, unknown>>;

async function rowsOf({ json }: CommandHarness, ...args: readonly string[]): Promise<readonly Row[]> {
  const [{ data } = { data: {} }] = await json(...args);
  return data as unknown as readonly Row[]; // the command prints a list
}

async function connectedInstance(harness: CommandHarness): Promise<string> {
  expect((await harness.run('connect', '--scan')).code).toBe(0);
  return String((await rowsOf(harness, 'instances', 'list'))[0]?.['id']);
}

describe('trunkline instances history', () => {
  it('prints why a number has its status: the reason, its code and the next step, oldest first', async () => {
    const harness = await startCommandHarness();
    const { run, server, env } = harness;
    const instance = await connectedInstance(harness);
    const client = testClient(server.url, env['TRUNKLINE_API_KEY']);
    await client.request('POST', `/sandbox/instances/${instance}/drop`);
    await until(
      'it is connected again',
      async () => (await client.instance(instance)).status === 'connected',
    );
    await run('instances', 'disconnect', instance);
    await until('it is disconnected', async () => (await client.instance(instance)).status !== 'connected');
    const { code, stdout, stderr } = await run('instances', 'history', instance);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [names, ...lines] = stdout.trimEnd().split('\n');
    expect(names?.split(/  +/)).toEqual(['time', 'status', 'what happened', 'next']);
    expect(lines.map((line) => line.split(/  +/).slice(1, 3))).toEqual([
      ['– → created', 'The instance was created.'],
      ['created → connecting', 'Somebody asked to connect it.'],
      ['connecting → qr_required', 'The network sent a QR to scan, or a code to type.'],
      ['qr_required → connected', 'A phone was linked, and the number is connected.'],
      ['connected → connecting', 'An open connection was lost. (connection_lost)'],
      ['connecting → connected', 'The connection was back within 30 s, so receivers were not notified.'],
      ['connected', 'Somebody asked to disconnect it.'],
      ['connected → disconnected', 'It was disconnected on request.'],
    ]);
    expect(lines[4]).toMatch(/  reconnecting in \d+ s$/);

    const rows = await rowsOf(harness, 'instances', 'history', instance);
    expect(rows.map(({ reason }) => reason)).toEqual([
      'disconnected',
      'disconnect_requested',
      'reconnected',
      'connection_dropped',
      'paired',
      'pairing_begun',
      'connect_requested',
      'created',
    ]);
    expect(await rowsOf(harness, 'instances', 'history', instance, '--limit', '2')).toEqual(rows.slice(0, 2));
    await server.stop();
  });

  it.runIf(isLongForm)(
    'reads as many pages as its limit takes, and says what is wrong with its arguments',
    async () => {
      const harness = await startCommandHarness();
      const { run, server, env } = harness;
      const instance = await connectedInstance(harness);
      const client = testClient(server.url, env['TRUNKLINE_API_KEY']);
      const reasons = ['paired', 'pairing_begun', 'connect_requested', 'created'];
      for (let round = 1; round <= 27; round += 1) {
        for (const [action, expected] of [
          ['disconnect', 200],
          ['connect', 202],
        ] as const) {
          const { status } = await client.request('POST', `/api/v1/instances/${instance}/${action}`);
          expect(status).toBe(expected);
        }
        await until('it is connected', async () => (await client.instance(instance)).status === 'connected');
        reasons.unshift('connected', 'connect_requested', 'disconnected', 'disconnect_requested');
      }
      const all = await rowsOf(harness, 'instances', 'history', instance, '--limit', '1000');
      expect(all.map(({ reason }) => reason)).toEqual(reasons);
      expect(new Set(all.map(({ id }) => id)).size).toBe(112);
      expect(await rowsOf(harness, 'instances', 'history', instance, '--limit', '105')).toEqual(
        all.slice(0, 105),
      );
      const { stdout } = await run('instances', 'history', instance);
      expect(stdout.trimEnd().split('\n')).toHaveLength(101);

      for (const limit of ['0', '10001', 'many'])
        expect(await run('instances', 'history', instance, '--limit', limit)).toEqual({
          code: 2,
          stdout: '',
          stderr: 'trunkline: --limit must be a whole number from 1 to 10000.\n',
        });
      for (const id of ['ins_01kdvdna00ey2a7dty85195v2z', '../../webhooks', HOSTILE])
        expect(await run('instances', 'history', id)).toMatchObject({
          code: 3,
          stdout: '',
          stderr: expect.stringMatching(/^trunkline: .*\(INSTANCE_NOT_FOUND, req_\w+\)\n$/),
        });
      await server.stop();
    },
  );

  it.runIf(isLongForm)(
    'continues with --follow: each change is printed once, even without an event',
    async () => {
      const harness = await startCommandHarness();
      const { server, env, cwd } = harness;
      const instance = await connectedInstance(harness);
      const client = testClient(server.url, env['TRUNKLINE_API_KEY']);
      const history = ['instances', 'history', instance, '--follow', '--limit', '2'];
      const follow = startCommand(history, { cwd, env });
      const json = startCommand([...history, '--json'], { cwd, env });
      for (const one of [follow, json]) await one.printed(/A phone was linked/);
      await client.request('POST', `/api/v1/instances/${instance}/disconnect`);
      await follow.printed(/It was disconnected on request\./);
      await client.request('POST', `/api/v1/instances/${instance}/connect`);
      await follow.printed(/The number is connected\./);
      // The connection is back within 30 s, so no event is sent; the stream's next heartbeat reveals the drop.
      await client.request('POST', `/sandbox/instances/${instance}/drop`);
      for (const one of [follow, json]) await one.printed(/The connection was back within 30 s/);
      for (const one of [follow, json]) {
        one.signal('SIGINT');
        expect(await one.ended).toBe(130);
      }
      const reasons = [
        'pairing_begun',
        'paired',
        'disconnect_requested',
        'disconnected',
        'connect_requested',
        'connected',
        'connection_dropped',
        'reconnected',
      ];
      const printed = json.stdout().trimEnd().split('\n');
      expect(printed.map((line) => JSON.parse(line).data.reason)).toEqual(reasons);
      expect(follow.stdout().trimEnd().split('\n')).toHaveLength(reasons.length);
      await server.stop();
    },
  );

  it('cannot write to the terminal, whatever the network or the service says', async () => {
    const entry = {
      id: 'hst_1',
      instance_id: 'ins_1',
      at: '2026-11-23T09:00:00',
      count: 2,
      last_at: HOSTILE,
      from: 'connected',
      to: HOSTILE,
      reason: 'taken_over',
      description: HOSTILE,
      code: HOSTILE,
      network_code: HOSTILE,
      next: { kind: 'reconnect', at: null, text: HOSTILE },
      caused_by: 'service',
      process: HOSTILE,
      previous_process: HOSTILE,
    };
    const service = createServer((_, response) => {
      const meta = { per_page: 100, next_cursor: null, prev_cursor: null };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ data: [entry], meta }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void service.close());
    const address = service.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const env = { TRUNKLINE_URL: `http://127.0.0.1:${port}`, TRUNKLINE_API_KEY: 'a-key-for-the-tests' };
    const cwd = temporaryDirectory();
    const forPeople = await runCommand(['instances', 'history', 'ins_1'], { cwd, env });
    expect(forPeople).toMatchObject({ code: 0, stderr: '' });
    // oxlint-disable-next-line no-control-regex -- their absence is checked
    expect(forPeople.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(forPeople.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(forPeople.stdout).toContain(`(${PRINTED}, ${PRINTED})`);
    const asJson = await runCommand(['instances', 'history', 'ins_1', '--json'], { cwd, env });
    // oxlint-disable-next-line no-control-regex -- their absence is checked
    expect(asJson.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.parse(asJson.stdout)).toEqual({ data: [entry] });
  });
});

describe('trunkline events', () => {
  it('lists the events of a message and of an instance, newest first, and shows one as webhooks report it', async () => {
    const harness = await startCommandHarness();
    const { run, data, server } = harness;
    const instance = await connectedInstance(harness);
    const sent = await run('send', '15550123', 'Hello');
    const [, message = ''] = /^(msg_\w+) read$/m.exec(sent.stdout) ?? [];
    const ofMessage = await rowsOf(harness, 'events', 'list', '--message', message);
    expect(ofMessage.map(({ type }) => type)).toEqual(['message.read', 'message.delivered', 'message.sent']);
    const { code, stdout, stderr } = await run('events', 'list', '--message', message);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [names, newest] = stdout.split('\n');
    expect(names?.split(/  +/)).toEqual(['id', 'at', 'type', 'about']);
    expect(newest).toMatch(/^evt_\w+  \S+  message\.read +msg_\w+  to 15550123  Hello$/);

    const ofInstance = await rowsOf(harness, 'events', 'list', '--instance', instance);
    expect(ofInstance.slice(0, 3)).toEqual(ofMessage);
    expect(ofInstance.at(3)).toMatchObject({ type: 'instance.connected' });
    expect(
      await rowsOf(harness, 'events', 'list', '--instance', instance, '--types', 'message.sent'),
    ).toEqual([ofMessage[2]]);
    expect(await rowsOf(harness, 'events', 'list', '--instance', instance, '--limit', '1')).toEqual([
      ofMessage[0],
    ]);

    const id = String(ofMessage[0]?.['id']);
    expect(await data('events', 'show', id)).toEqual(ofMessage[0]);
    const shown = await run('events', 'show', id);
    expect(shown.stdout).toMatch(new RegExp(`^event  ${id}\ntype   message\\.read\n`));
    expect(JSON.parse(shown.stdout.split('\n').at(-2) ?? '')).toEqual(ofMessage[0]);
    await server.stop();
  });

  it.runIf(isLongForm)('says what is wrong with its arguments', async () => {
    const { run, server } = await startCommandHarness();
    const list = (...args: readonly string[]) => run('events', 'list', ...args);
    for (const args of [[], ['--message', 'msg_1', '--instance', 'ins_1']])
      expect(await list(...args)).toEqual({
        code: 2,
        stdout: '',
        stderr: 'trunkline: Name what the events are about: either --message or --instance.\n',
      });
    expect(await list('--message', 'msg_1', '--types', 'message.sent')).toMatchObject({
      code: 2,
      stderr: 'trunkline: --types goes with --instance: the events of a message are few.\n',
    });
    expect(await list('--message', 'msg_1', '--limit', '0')).toMatchObject({ code: 2 });
    const refused = (code: string) => ({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`\\(${code}, req_\\w+\\)\n$`)),
    });
    expect(await list('--message', '../events')).toMatchObject(refused('MESSAGE_NOT_FOUND'));
    expect(await list('--instance', HOSTILE)).toMatchObject(refused('INSTANCE_NOT_FOUND'));
    expect(await list('--instance', 'ins_1', '--types', 'message.lost')).toMatchObject({ code: 2 });
    expect(await run('events', 'show', 'evt_01kdvdna00ey2a7dty85195v2z')).toMatchObject(
      refused('EVENT_NOT_FOUND'),
    );
    await server.stop();
  });

  it.runIf(isLongForm)('prints what strangers write without control characters', async () => {
    const harness = await startCommandHarness();
    const { run, server, env } = harness;
    const instance = await connectedInstance(harness);
    await testClient(server.url, env['TRUNKLINE_API_KEY']).request(
      'POST',
      `/sandbox/instances/${instance}/messages`,
      { body: { from: '15550199', text: HOSTILE } },
    );
    const { id } = await until('it has arrived', async () =>
      (await rowsOf(harness, 'events', 'list', '--instance', instance)).find(
        ({ type }) => type === 'message.received',
      ),
    );
    for (const args of [
      ['list', '--instance', instance],
      ['show', String(id)],
    ]) {
      for (const format of [[], ['--json']]) {
        const { stdout } = await run('events', ...args, ...format);
        // oxlint-disable-next-line no-control-regex -- their absence is checked
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        expect(stdout).toContain('\\u001b]0;owned');
      }
    }
    await server.stop();
  });
});

describe('Every list', () => {
  it.runIf(isLongForm)('begins with --before, and refuses an invalid time', async () => {
    const harness = await startCommandHarness();
    const { data, run, server, env } = harness;
    const instance = await connectedInstance(harness);
    expect((await run('send', '15550123', 'Hello')).code).toBe(0);
    const webhook = String(
      (await data('webhooks', 'create', 'http://127.0.0.1:9/', '--events', 'message.sent'))['id'],
    );
    await data('webhooks', 'test', webhook);
    const lists = [
      { name: 'instances history', args: { instance } },
      { name: 'chats', args: { instance } },
      { name: 'messages list' },
      { name: 'deliveries list', args: { webhook } },
      { name: 'events list', options: { instance } },
    ];
    for (const list of lists) {
      const listed = (before: string): Promise<CallOutcome> =>
        callCommand({ ...list, options: { ...list.options, before } }, { environment: env, isJson: true });
      expect((await listed('2100-01-01T00:00:00Z')).stdout).toMatch(/"(?:id|counterpart)":"/);
      expect(await listed('2000-01-01T00:00:00Z')).toEqual({
        stdout: '{"data":[]}\n',
        stderr: '',
        error: null,
      });
      const refused = await listed('yesterday');
      expect(exitCodeOf(refused)).toBe(2);
      expect(refused.stderr).toContain('Must be a time with its zone');
    }
    expect(
      await run('instances', 'history', instance, '--follow', '--before', '2100-01-01T00:00:00Z'),
    ).toEqual({
      code: 2,
      stdout: '',
      stderr: 'trunkline: --before cannot go with --follow, which prints what is newer.\n',
    });
    await server.stop();
  });
});
