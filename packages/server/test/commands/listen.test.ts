import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { freePort } from '@trunkline/test-support/free-port';
import { runCommand, startCommand, startCommandHarness } from '../support/command-process.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { testClient } from '../support/test-client.ts';
import { startReceiver } from '../support/test-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('trunkline listen', () => {
  it('prints events, and posts each to a program with the headers and the signature of a webhook', async () => {
    const { cwd, env, run, server } = await startCommandHarness();
    await run('connect', '--scan');
    const receiver = await startReceiver();
    const listen = startCommand(['listen', '--forward-to', receiver.url], { cwd, env });
    const [, secret = ''] = await listen.printed(/signed with this secret: (whsec_\S+)/);
    receiver.secret = secret;
    await listen.printed(/Waiting for events/);
    const json = startCommand(['listen', '--json', '--types', 'message.read'], { cwd, env });
    await until('the other one listens too', async () => {
      await run('send', '15550123', 'Hello');
      return json.stdout() !== '';
    });
    await listen.printed(/message\.read +evt_\w+  msg_\w+  to 15550123  Hello  → 204 in \d+ ms/);
    await run('send', '15550123', 'Hello');
    await until('it has printed the next one, too', async () => json.stdout().trimEnd().includes('\n'));
    for (const line of json.stdout().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({
        data: { type: 'message.read', data: { message: { text: 'Hello' } } },
      });
    expect(receiver.refused).toEqual([]);
    expect(receiver.requests[0]?.deliveryId).toMatch(/^whd_\w{26}$/);
    listen.signal('SIGINT');
    expect(await listen.ended).toBe(130);
    expect(listen.stderr()).toMatch(/To continue: trunkline listen --after evt_\w+\n$/);
    json.signal('SIGTERM');
    expect(await json.ended).toBe(143);
    expect(await server.stop()).toBe(0);
  });

  it.runIf(isLongForm)(
    'waits for a program that is down, and sends it everything in order, each event once',
    async () => {
      const { cwd, env, run, server } = await startCommandHarness();
      await run('connect', '--scan');
      const port = await freePort();
      const listen = startCommand(
        ['listen', '--types', 'message.sent', '--forward-to', `http://127.0.0.1:${port}/hook`],
        { cwd, env: { ...env, WEBHOOK_SECRET: SECRET } },
      );
      await listen.printed(/Waiting for events/);
      for (const text of ['one', 'two', 'three']) await run('send', '15550123', text);
      await listen.printed(/does not respond \(ECONNREFUSED\)/);
      const texts: string[] = [];
      const program = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          texts.push(JSON.parse(Buffer.concat(chunks).toString()).data.message.text);
          response.writeHead(texts.length === 2 ? 500 : 200).end();
        });
      });
      await new Promise<void>((resolve) => program.listen(port, '127.0.0.1', resolve));
      await listen.printed(/two  → 200 in \d+ ms, attempt 2\n[^]*three  → 200/);
      expect(texts).toEqual(['one', 'two', 'two', 'three']);
      expect(listen.stderr()).not.toContain(SECRET);
      listen.signal('SIGINT');
      expect(await listen.ended).toBe(130);
      program.close();
      expect(await server.stop()).toBe(0);
    },
  );

  it.runIf(isLongForm)('loses nothing when the server or the command is killed', async () => {
    const cwd = temporaryDirectory();
    const port = String(await freePort());
    const settings = { DATA_DIR: join(cwd, 'data'), RATE_LIMIT: '0', PORT: port };
    const first = await startServer({ env: settings, cwd, isAtTerminal: true });
    const env = {
      TRUNKLINE_URL: first.url,
      TRUNKLINE_API_KEY: first.shownKey() ?? '',
      WEBHOOK_SECRET: SECRET,
    };
    const run = (...args: readonly string[]) => runCommand(args, { cwd, env });
    await run('connect', '--scan');
    const receiver = await startReceiver();
    receiver.secret = SECRET;
    const args = ['listen', '--types', 'message.sent', '--forward-to', receiver.url];
    const listen = startCommand(args, { cwd, env });
    await listen.printed(/Waiting for events/);
    await run('send', '15550123', 'before');
    await listen.printed(/before  → 204/);
    await first.kill();
    await listen.printed(/does not respond: trying again/);
    const second = await startServer({ env: { ...settings, API_KEY: env.TRUNKLINE_API_KEY }, cwd });
    await run('send', '15550123', 'between');
    await listen.printed(/between  → 204/);
    expect(listen.stdout().match(/before/g)).toHaveLength(1);

    const last = /(evt_\w+)  msg_\w+  to 15550123  between/.exec(listen.stdout())?.[1] ?? '';
    listen.signal('SIGKILL');
    await listen.ended;
    await run('send', '15550123', 'missed');
    const again = startCommand([...args, '--after', last], { cwd, env });
    await again.printed(/missed  → 204/);
    again.signal('SIGINT');
    expect(await again.ended).toBe(130);
    const texts = receiver.requests.map(({ event }) =>
      'message' in event.data ? event.data.message.text : '',
    );
    expect([...new Set(texts)]).toEqual(['before', 'between', 'missed']);
    // The reopened stream has only this type, too.
    expect(new Set(receiver.requests.map(({ event }) => event.type))).toEqual(new Set(['message.sent']));
    expect(await second.stop()).toBe(0);
  });

  it.runIf(isLongForm)(
    'says what is wrong with its arguments, and prints what strangers write without control characters',
    async () => {
      const { cwd, env, run, json, server } = await startCommandHarness();
      expect(await run('listen', '--types', 'message.lost')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/\(VALIDATION_FAILED, req_\w+\)\n$/),
      });
      expect(await run('listen', '--after', 'evt_01kdvdna00ey2a7dty85195v2z')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/\(EVENT_NOT_FOUND, req_\w+\)\n$/),
      });
      for (const url of ['localhost:3000', 'file:///etc/passwd', 'http://me:secret@localhost/'])
        expect(await run('listen', '--forward-to', url)).toMatchObject({ code: 2 });

      await run('connect', '--scan');
      const [{ data: instances } = { data: {} }] = await json('instances', 'list');
      const [{ id = '' } = {}] = instances as unknown as readonly { readonly id?: string }[]; // the specification defines this type
      const listen = startCommand(['listen', '--instance', id], { cwd, env });
      const other = startCommand(['listen', '--instance', 'ins_other'], { cwd, env });
      await listen.printed(/Waiting for events/);
      await other.printed(/Waiting for events/);
      await testClient(server.url, env['TRUNKLINE_API_KEY']).request(
        'POST',
        `/sandbox/instances/${id}/messages`,
        {
          body: { from: '15550199', text: '\u001b]0;owned\u0007\u202eevil\r\nforged' },
        },
      );
      await listen.printed(/from 15550199  \\u001b\]0;owned\\u0007\\u202eevil\\u000d\\u000aforged$/m);
      for (const one of [listen, other]) {
        one.signal('SIGINT');
        expect(await one.ended).toBe(130);
      }
      expect(other.stdout()).toBe('');
      expect(await server.stop()).toBe(0);
    },
  );
});
