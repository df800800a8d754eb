import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runCommand, startCommand, startCommandHarness } from '../support/command-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { testClient } from '../support/test-client.ts';
import { startReceiver } from '../support/test-receiver.ts';

const ESCAPE = '\u001b';

describe('A number', () => {
  it.runIf(isLongForm)('has one shape in every line of connect --json', async () => {
    const { json, server } = await startCommandHarness();
    const lines = await json('connect', '--scan');
    expect(lines.length).toBeGreaterThan(1);
    for (const { data } of lines)
      expect(data).toMatchObject({ id: lines[0]?.data['id'], name: expect.any(String) });
    expect(lines.at(-1)?.data).toMatchObject({ status: 'connected' });
    await server.stop();
  });

  it('is connected, sends, and is looked at, renamed, disconnected and deleted', async () => {
    const { cwd, env, run, data, json, server } = await startCommandHarness();
    const connected = await run('connect', '--scan', '--name', 'Shop');
    expect({ code: connected.code, stderr: connected.stderr }).toEqual({ code: 0, stderr: '' });
    const [, instance = ''] = /^Created instance (ins_\w+)\.$/m.exec(connected.stdout) ?? [];
    expect(connected.stdout).toMatch(
      new RegExp(`${instance} is qr_required\n${instance} is connected as 1555\\d+\n$`),
    );
    expect(await data('connect', instance)).toMatchObject({ id: instance, status: 'connected' });

    const sent = await run('send', '+1 555 0123', 'Hello');
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toMatch(/^(msg_\w+) queued\n(\1 \w+\n)*\1 read\n$/);
    const lines = await json(
      'send',
      '15550123',
      '--idempotency-key',
      'order-1',
      '--',
      '--looks-like-an-option',
    );
    const [message] = lines.map((line) => line.data);
    expect(lines.at(-1)?.data).toMatchObject({ status: 'read', text: '--looks-like-an-option' });
    const again = await json(
      'send',
      '15550123',
      '--idempotency-key',
      'order-1',
      '--',
      '--looks-like-an-option',
    );
    expect(again.at(-1)?.data['id']).toBe(message?.['id']);

    const piped = await runCommand(['send', '15550123', '-', '--until', 'queued', '--json'], {
      cwd,
      env,
      input: 'Two\nlines\r\n',
    });
    expect(JSON.parse(piped.stdout.split('\n')[0] ?? '')).toMatchObject({ data: { text: 'Two\nlines' } });
    expect(await runCommand(['send', '15550123', '-'], { cwd, env, input: '\n' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is nothing to send'),
    });
    expect(await run('send', '15550123', '--file', '-')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A file is not read from standard input'),
    });

    writeFileSync(join(cwd, 'note.txt'), 'a note');
    const file = await json('send', '15550123', 'the caption', '--file', 'note.txt');
    const { id, media, caption } = file.at(-1)?.data ?? {};
    expect({ media, caption }).toMatchObject({
      media: { filename: 'note.txt', size: 6 },
      caption: 'the caption',
    });
    expect((await run('messages', 'download', String(id), 'copy.txt')).code).toBe(0);
    expect(readFileSync(join(cwd, 'copy.txt'), 'utf8')).toBe('a note');
    expect(statSync(join(cwd, 'copy.txt')).mode & 0o777).toBe(0o600);
    expect(await run('messages', 'download', String(id), 'note.txt')).toMatchObject({
      code: 1,
      stderr: 'trunkline: note.txt already exists, and would be overwritten: name another file.\n',
    });
    expect(await run('messages', 'download', String(id), 'note.txt/copy')).toMatchObject({
      code: 1,
      stderr:
        'trunkline: note.txt/copy cannot be made (ENOTDIR): name a file in a directory that you can write to.\n',
    });
    expect(readFileSync(join(cwd, 'note.txt'), 'utf8')).toBe('a note');
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    for (const path of ['pipe', '.']) {
      expect(await run('send', '15550123', '--file', path)).toMatchObject({
        code: 1,
        stderr: `trunkline: ${path} is not a regular file: give one with --file, such as a copy of it.\n`,
      });
    }
    writeFileSync(
      join(cwd, 'wave.webp'),
      Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
    );
    const kind = async (name: string, ...options: readonly string[]): Promise<object> =>
      (await json('send', '15550123', '--kind', name, ...options)).at(-1)?.data ?? {};
    expect(await kind('sticker', '--file', 'wave.webp')).toMatchObject({ type: 'image', kind: 'sticker' });
    const place = JSON.stringify({ latitude: 40.4168, longitude: -3.7038 });
    expect(await kind('location', '--payload', place)).toMatchObject({ status: 'read', kind: 'location' });
    const people = ['--mentions', '+1 555 0123,15550124'];
    expect((await json('send', '15550123', 'Ask @15550124', ...people)).at(-1)?.data).toMatchObject({
      payload: { mentions: ['15550123', '15550124'] },
    });
    expect(await run('send', '15550123', 'Here', '--kind', 'location', '--payload', place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A location is sent without a text'),
    });

    expect(await run('send', '15550123', '--file', 'none.txt')).toMatchObject({
      code: 1,
      stderr: 'trunkline: The file cannot be read: none.txt (ENOENT).\n',
    });

    const refused = await run('send', '15550003', 'Hello');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^trunkline: msg_\w+ failed: .* \(recipient_refused\)\n$/);
    const slow = await run('send', '15550001', 'Hello', '--timeout', '1');
    expect({ code: slow.code, stderr: slow.stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^trunkline: msg_\w+ is \w+, and not read after 1 s: /),
    });
    expect((await run('send', '15550001', 'Hello', '--until', 'sent')).code).toBe(0);

    const [{ data: listed } = { data: {} }] = await json('messages', 'list', '--status', 'failed');
    expect(listed).toMatchObject([{ to: '15550003' }]);
    expect((await run('messages', 'list', '--limit', '2')).stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(await run('messages', 'list', '--status', 'lost')).toMatchObject({ code: 2 });
    expect(await data('messages', 'show', String(id))).toMatchObject({ id, status: 'read' });
    const shown = (await run('messages', 'show', String(id))).stdout;
    expect(shown).toMatch(/^message +msg_\w+\n(?:.+\n)+\nIt was read at \d\d:\d\d UTC\.\n/);
    expect(shown.match(/  (message\.\w+)  evt_/g)?.map((event) => event.trim().split('  ')[0])).toEqual([
      'message.sent',
      'message.delivered',
      'message.read',
    ]);

    expect(await data('messages', 'react', String(id), '👍')).toMatchObject({ message_id: id, emoji: '👍' });
    expect((await run('messages', 'react', String(id))).stdout).toMatch(/^action +act_\w+\n/);
    expect(await data('messages', 'edit', String(id), '--caption', 'Better')).toMatchObject({
      kind: 'edit',
      text: 'Better',
    });
    expect(await data('messages', 'delete', String(id), '--yes')).toMatchObject({ kind: 'deletion' });
    const [{ data: actions } = { data: {} }] = await json('messages', 'actions', String(id));
    expect(actions).toMatchObject([{ kind: 'deletion' }, { kind: 'edit' }, { emoji: null }, { emoji: '👍' }]);
    expect(await run('messages', 'edit', String(id), 'Better')).toMatchObject({ code: 2 });
    expect(await run('messages', 'read', String(id))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Only a message that the instance received can be marked as read.'),
    });
    expect(await run('messages', 'edit', String(id))).toMatchObject({ code: 2 });
    expect(await run('messages', 'react', String(id), 'ok')).toMatchObject({ code: 2 });

    const [{ data: found } = { data: {} }] = await json('messages', 'list', '--counterpart', '+1 555 0003');
    expect(found).toMatchObject([{ to: '15550003' }]);
    const [{ data: chats } = { data: {} }] = await json('chats', instance);
    expect((chats as unknown as readonly { counterpart: string }[]).map((chat) => chat.counterpart)).toEqual([
      '15550001',
      '15550003',
      '15550123',
    ]);
    expect((await run('chats', instance)).stdout).toMatch(/^with +name +last message .*\n15550001 /);
    expect(await run('messages', 'list', '--counterpart', 'nobody')).toMatchObject({ code: 2 });

    const at = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = (await json('send', '15550123', 'Later', '--at', at)).at(-1)?.data ?? {};
    expect(scheduled).toMatchObject({ status: 'queued', send_at: at.replace('Z', '+00:00') });
    expect((await json('messages', 'scheduled')).at(-1)).toMatchObject({ data: [{ text: 'Later' }] });
    const cancelled = await run('messages', 'cancel', String(scheduled['id']), '--yes');
    expect(cancelled.stdout).toContain('(cancelled)');

    expect(await data('instances', 'rename', instance, 'Shop 2')).toMatchObject({ name: 'Shop 2' });
    expect((await run('instances', 'groups', instance)).stdout).toMatch(/Family[^]*Team/);
    const { id: club } = await data('groups', 'create', instance, 'Club', '15550100,15550006');
    const promoted = await run('groups', 'participants', String(club), 'promote', '15550100');
    expect(promoted.stdout).toMatch(/15550100 +promoted/);
    expect((await run('groups', 'show', String(club))).stdout).toMatch(
      /Club[^]*owner, the instance\n15550100 .*admin/,
    );
    expect(await run('groups', 'participants', String(club), 'crown', '15550100')).toMatchObject({ code: 2 });
    expect(await data('instances', 'disconnect', instance)).toMatchObject({ status: 'disconnected' });
    expect(await data('instances', 'logout', instance, '--yes')).toMatchObject({ status: 'logged_out' });
    expect(await data('instances', 'delete', instance, '--yes')).toEqual({ id: instance, deleted: true });
    expect((await run('instances', 'list')).stdout).toBe('id  name  network  status  number  since\n');
    expect(await run('send', '15550123', 'Hello')).toMatchObject({
      code: 2,
      stderr:
        'trunkline: No instance is connected: connect one with "trunkline connect", or name one with --instance.\n',
    });
    expect(await run('instances', 'show', '../../webhooks')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('(INSTANCE_NOT_FOUND, '),
    });
    await server.stop();
  });

  it('has a pace that can be changed', async () => {
    const { run, data, server } = await startCommandHarness();
    const { id } = await data('instances', 'create');
    const paced = await run('instances', 'pace', String(id), 'gentle');
    expect(paced.stdout).toMatch(/^pace +gentle$/m);
    expect(await data('instances', 'pace', String(id), 'default')).toMatchObject({ pace: null });
    expect(await run('instances', 'pace', String(id), 'slow')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The pace must be gentle, off or default.'),
    });
    await server.stop();
  });

  it.runIf(isLongForm)('has credentials that can be changed', async () => {
    const { cwd, env, data, server } = await startCommandHarness({
      GATEWAYS: 'sandbox,sandbox_credentials',
    });
    const given = (input: string, ...args: readonly string[]) => runCommand(args, { cwd, env, input });
    const [text, network] = [
      '{"phone_number":"15550177","access_token":"sandbox-sesame"}',
      'sandbox_credentials',
    ];
    const linked = await given(text, 'instances', 'create', '--network', network, '--credentials');
    expect(linked.stdout).toMatch(/^number +15550177$/m);
    expect(linked.stdout).toMatch(/^credentials +given$/m);
    const [, named = ''] = /^instance +(ins_\w+)$/m.exec(linked.stdout) ?? [];
    const changed = await given(text.replace('sesame', 'sesame-2'), 'instances', 'credentials', named);
    expect(changed).toMatchObject({ code: 0, stderr: '' });
    for (const wrong of ['sandbox-sesame', '["sandbox-sesame"]', '{"access_token":5}', ''])
      expect(await given(wrong, 'instances', 'credentials', named)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^(?!.*sesame)[^]*must have the credentials as a JSON object of texts/),
      });
    expect(await given(text.replace('sandbox-', ''), 'instances', 'credentials', named)).toMatchObject({
      stderr: expect.stringMatching(/^(?!.*sesame)[^]*does not know this access_token/),
    });
    expect(await data('instances', 'credentials', named, '--remove')).toMatchObject({
      phone_number: null,
      has_credentials: false,
    });
    const waiting = startCommand(['connect', named, '--qr'], { cwd, env });
    await waiting.printed(/PATCH \/instances\/ins_/);
    waiting.signal('SIGINT');
    expect(await waiting.ended).toBe(130);
    await server.stop();
  });

  it.runIf(isLongForm)('shows its QR only if requested, and an interrupted command says so', async () => {
    const { cwd, env, server, run } = await startCommandHarness();
    const hidden = startCommand(['connect'], { cwd, env });
    await hidden.printed(/the QR is not drawn, because this is not a terminal/);
    expect(hidden.stdout()).not.toMatch(/[▀▄█]/);
    hidden.signal('SIGINT');
    expect(await hidden.ended).toBe(130);
    expect(hidden.stderr()).toContain('trunkline: Interrupted');

    const drawn = startCommand(['connect', '--qr'], { cwd, env });
    await drawn.printed(/^[▀▄█ ]{20,}$/m);
    const [, instance = ''] = /Created instance (ins_\w+)/.exec(drawn.stdout()) ?? [];
    const { status } = await testClient(server.url, env['TRUNKLINE_API_KEY']).request(
      'POST',
      `/sandbox/instances/${instance}/scan`,
    );
    expect(status).toBe(202);
    expect(await drawn.ended).toBe(0);

    const asJson = startCommand(['connect', '--json'], { cwd, env });
    await asJson.printed(/"qr":\{"code":"/);
    asJson.signal('SIGTERM');
    expect(await asJson.ended).toBe(143);
    for (const line of asJson.stdout().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({
        data: { id: expect.stringMatching(/^ins_/), paired: false },
      });
    expect(await run('connect', '--timeout', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is not connected after 1 s/),
    });
    await server.stop();
  });

  it.runIf(isLongForm)(
    'cannot write to the terminal: what strangers choose is printed without its control characters',
    async () => {
      const { cwd, env, run, json, server } = await startCommandHarness();
      await run('connect', '--scan');
      const [{ data: instances } = { data: {} }] = await json('instances', 'list');
      const [{ id = '' } = {}] = instances as unknown as readonly { readonly id?: string }[]; // the specification defines this type
      const text = `${ESCAPE}]0;owned\u0007${ESCAPE}[2J\u009b31m\u202eevil`;
      await testClient(server.url, env['TRUNKLINE_API_KEY']).request(
        'POST',
        `/sandbox/instances/${id}/messages`,
        {
          body: { from: '15550199', text },
        },
      );
      await until('it has arrived', async () =>
        (await run('messages', 'list', '--direction', 'inbound')).stdout.includes('owned'),
      );
      for (const format of [[], ['--json']]) {
        const { stdout } = await runCommand(['messages', 'list', '--direction', 'inbound', ...format], {
          cwd,
          env,
        });
        // oxlint-disable-next-line no-control-regex -- their absence is checked
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        expect(stdout).toContain('\\u001b]0;owned');
      }
      const [{ data: parsed } = { data: {} }] = await json('messages', 'list', '--direction', 'inbound');
      expect(parsed).toMatchObject([{ text }]);
      await server.stop();
    },
  );
});

describe('Webhooks and deliveries', () => {
  it('are registered, tested, followed, changed, retried and deleted', async () => {
    const { cwd, env, run, data, json, server } = await startCommandHarness();
    const receiver = await startReceiver();
    const created = await run('webhooks', 'create', receiver.url, '--events', 'message.sent,message.read');
    expect(created.code).toBe(0);
    const [, webhook = ''] = /^webhook +(wh_\w+)$/m.exec(created.stdout) ?? [];
    receiver.secret = /^secret +(whsec_\S+)$/m.exec(created.stdout)?.[1] ?? '';
    expect(created.stderr).toContain('shown only this once');
    expect(await run('webhooks', 'create', receiver.url, '--events', 'message.lost')).toMatchObject({
      code: 2,
    });
    expect(await run('webhooks', 'create', receiver.url)).toMatchObject({ code: 2 });

    const tail = startCommand(['deliveries', 'tail', webhook], { cwd, env });
    await tail.printed(/Waiting for deliveries/);
    const delivery = String((await data('webhooks', 'test', webhook))['id']);
    await tail.printed(new RegExp(`^${delivery} .*webhook\\.test  success  1/`, 'm'));
    tail.signal('SIGINT');
    expect(await tail.ended).toBe(130);

    const [{ data: listed } = { data: {} }] = await json(
      'deliveries',
      'list',
      webhook,
      '--event',
      'webhook.test',
    );
    expect(listed).toMatchObject([{ id: delivery, status: 'success' }]);
    const shown = await run('deliveries', 'show', delivery);
    expect(shown.stdout).toMatch(/attempt 1: 204 in \d+ ms/);
    expect(shown.stdout).toContain('"type":"webhook.test"');

    const gone = `${receiver.url}/gone`.replace(/:\d+\//, ':9/');
    expect(await data('webhooks', 'update', webhook, '--url-to', gone)).toMatchObject({ url: gone });
    const failing = String((await data('webhooks', 'test', webhook))['id']);
    await until(
      'it has failed once',
      async () => (await data('deliveries', 'show', failing))['attempts'] === 1,
    );
    expect(await run('deliveries', 'retry', failing)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/\(WEBHOOK_RETRY_NOT_ALLOWED, req_\w+\)\n$/),
    });
    for (const status of ['disabled', 'enabled'])
      expect(await data('webhooks', 'update', webhook, '--status', status)).toMatchObject({ status });
    expect(await data('deliveries', 'retry', failing)).toMatchObject({ id: failing });
    expect(await data('deliveries', 'retry-failed', webhook, '--yes')).toMatchObject({ webhook });
    const secret = await data('webhooks', 'rotate-secret', webhook, '--yes');
    expect(secret['secret']).not.toBe(receiver.secret);
    expect(await data('webhooks', 'update', webhook, '--status', 'disabled')).toMatchObject({
      status: 'disabled',
    });
    expect(await data('webhooks', 'show', webhook)).toMatchObject({
      id: webhook,
      trace_context: false,
      auto_disable_at: null,
    });
    for (const [answer, trace_context] of [
      ['yes', true],
      ['no', false],
    ] as const)
      expect(await data('webhooks', 'update', webhook, '--trace-context', answer)).toMatchObject({
        trace_context,
      });
    expect(await run('webhooks', 'update', webhook, '--trace-context', 'maybe')).toMatchObject({ code: 2 });
    const traced = ['webhooks', 'create', receiver.url, '--events', 'message.sent', '--trace-context', 'yes'];
    const other = await data(...traced);
    expect(other).toMatchObject({ trace_context: true, instances: null });
    const instance = String((await data('instances', 'create'))['id']);
    for (const [chosen, instances] of [
      [instance, [instance]],
      ['all', null],
    ] as const)
      expect(await data('webhooks', 'update', String(other['id']), '--instances', chosen)).toMatchObject({
        instances,
      });
    await data('webhooks', 'delete', String(other['id']), '--yes');
    expect((await run('webhooks', 'list')).stdout).toContain(webhook);
    expect(await data('webhooks', 'delete', webhook, '--yes')).toEqual({ id: webhook, deleted: true });
    expect((await run('webhooks', 'show', webhook)).code).toBe(3);

    const document = await run('openapi');
    expect(JSON.parse(document.stdout)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    expect(await server.stop()).toBe(0);
  });
});

describe('Profiles', () => {
  it.runIf(isLongForm)('keep the keys of services for this user alone, and are chosen by name', async () => {
    const { server, env } = await startCommandHarness();
    const cwd = temporaryDirectory();
    const key = env['TRUNKLINE_API_KEY'] ?? '';
    const add = (name: string, url: string, input: string) =>
      runCommand(['profiles', 'add', name, '--url', url], { cwd, input });
    expect(await add('local', `${server.url}/api/v1/`, `${key}\n`)).toMatchObject({ code: 0 });
    expect(await add('elsewhere', 'https://messages.example.com', 'another-key-altogether')).toMatchObject({
      code: 0,
    });
    expect(await add('bad name', server.url, key)).toMatchObject({ code: 2 });
    expect(await add('none', server.url, 'short')).toMatchObject({ code: 2 });
    const path = join(cwd, '.config/trunkline/profiles.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);

    const listed = await runCommand(['profiles', 'list'], { cwd });
    expect(listed.stdout).toMatch(
      new RegExp(`^local +${server.url} +yes\nelsewhere +https://messages\\.example\\.com$`, 'm'),
    );
    expect(listed.stdout).not.toContain(key);
    expect((await runCommand(['instances', 'list'], { cwd })).code).toBe(0);
    // The key of one service is not sent to another.
    const TRUNKLINE_URL = 'http://127.0.0.1:9';
    expect((await runCommand(['instances', 'list'], { cwd, env: { TRUNKLINE_URL } })).code).toBe(5);
    expect((await runCommand(['profiles', 'use', 'elsewhere'], { cwd })).code).toBe(0);
    expect((await runCommand(['instances', 'list', '--profile', 'local'], { cwd })).code).toBe(0);
    expect((await runCommand(['profiles', 'remove', 'elsewhere', '--yes'], { cwd })).code).toBe(0);
    expect((await runCommand(['profiles', 'remove', 'elsewhere', '--yes'], { cwd })).code).toBe(2);
    expect(readFileSync(path, 'utf8')).not.toContain('another-key');
    await server.stop();
  });
});
