import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { COMMANDS } from '../../src/commands/commands.ts';
import { callCommand, exitCodeOf } from '../support/command-call.ts';
import type { CallOutcome } from '../support/command-call.ts';
import { COMMAND_LINE, runCommand, startCommand } from '../support/command-process.ts';
import { respondJson, startHostileService } from '../support/hostile-service.ts';
import type { HostileService } from '../support/hostile-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startInTerminal, terminalMissing } from '../support/terminal-process.ts';

// Hostile behaviour of a service other than wrong JSON: redirects, and responses that are too large or too slow.

const KEY = 'a-key-for-the-tests';
const MEBIBYTE = 1_048_576;

const ARGS = {
  instance: 'ins_1',
  message: 'msg_1',
  webhook: 'wh_1',
  delivery: 'whd_1',
  event: 'evt_1',
  name: 'Shop',
  to: '15550100',
  text: 'private text',
  url: 'https://hooks.example.com/',
  pace: 'gentle',
};
/** All but the one that reads standard input first. */
const REMOTE = COMMANDS.filter(({ name, on }) => on === 'service' && name !== 'instances credentials').map(
  ({ name }) => name,
);

/** A timeout that no request reaches, however busy the machine is. */
const ENOUGH_SECONDS = '60';

function environmentOf(
  { url }: HostileService,
  seconds: string = ENOUGH_SECONDS,
): Readonly<Record<string, string>> {
  return {
    TRUNKLINE_URL: url,
    TRUNKLINE_API_KEY: KEY,
    TRUNKLINE_TIMEOUT: seconds,
    XDG_CONFIG_HOME: '/nowhere',
  };
}

async function callAll(
  service: HostileService,
  names: readonly string[],
  look: (name: string, outcome: CallOutcome) => void,
  seconds?: string,
): Promise<void> {
  const path = join(temporaryDirectory(), 'download');
  const options = { yes: true, instance: 'ins_1', events: 'message.sent' };
  await Promise.all(
    names.map(async (name) =>
      look(
        name,
        await callCommand(
          { name, args: { ...ARGS, path }, options },
          { environment: environmentOf(service, seconds) },
        ),
      ),
    ),
  );
  expect(existsSync(path)).toBe(false);
}

/** Checks that the command reported an unreachable service or another program, and returns the error message. */
function complaintOf(name: string, outcome: CallOutcome): string {
  expect(exitCodeOf(outcome), `${name}: ${outcome.stderr}`).toBe(4);
  expect(outcome.stdout, name).toBe('');
  expect(outcome.stderr, name).toMatch(/^trunkline: .{1,600}\n$/);
  return outcome.stderr;
}

describe('A service that redirects', () => {
  it.each(isLongForm ? [301, 302, 303, 307, 308] : [301])(
    'gets no command to send anything to another address with %i, and is named',
    async (status) => {
      const other = await startHostileService((_, response) => respondJson(response, { data: {} }));
      const service = await startHostileService(({ path }, response) => {
        response.writeHead(status, { Location: `${other.url}${path}?key=1` }).end();
      });
      await callAll(service, REMOTE, (name, outcome) => {
        const said = complaintOf(name, outcome);
        expect(said, name).toContain(`${service.url} redirects to ${other.url}/api/v1/`);
        expect(said, name).not.toContain('key=1');
      });
      expect(other.requests).toEqual([]);
      expect(service.requests.length).toBeGreaterThanOrEqual(REMOTE.length);
    },
  );

  it('gets no scan to another address, even by its sandbox', async () => {
    const other = await startHostileService((_, response) => response.end());
    const service = await startHostileService(({ path }, response) => {
      if (path.startsWith('/sandbox/')) response.writeHead(307, { Location: other.url }).end();
      else respondJson(response, { data: INSTANCE });
    });
    const call = { name: 'connect', args: { instance: 'ins_1' }, options: { scan: true } };
    const outcome = await callCommand(call, { environment: environmentOf(service) });
    expect(outcome.stderr).toContain(`redirects to ${other.url}/, which is not followed`);
    expect(other.requests).toEqual([]);
  });

  it.runIf(isLongForm)('gets no file to another address', async () => {
    const other = await startHostileService((_, response) => response.end());
    const service = await startHostileService((_, response) => {
      response.writeHead(307, { Location: other.url }).end();
    });
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'private.txt'), 'private');
    const sent = await runCommand(['send', '15550100', '--file', 'private.txt', '--instance', 'ins_1'], {
      cwd,
      env: environmentOf(service),
    });
    expect(sent).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('redirects to') });
    expect(other.requests).toEqual([]);
  });
});

describe('A service that sends too much or too slowly', () => {
  const HOW: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'nothing at all': () => {},
    'a byte now and then': (response) => drip(response, 'application/json'),
    'a byte now and then as an error': (response) => drip(response, 'application/json', 500),
    'a byte now and then as a stream': (response) => drip(response, 'text/event-stream'),
    'a body without an end': (response) => flood(response, ' '.repeat(65_536)),
    'a body that breaks off': (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1_000 });
      response.write('{"data":[{"id":"');
      setTimeout(() => response.destroy(), 50);
    },
    'half of a chunked body': (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"data":');
      setTimeout(() => response.destroy(), 50);
    },
    'nested arrays': (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`{"openapi":"3","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    },
    'a page of HTML': (response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hi</h1>'),
    'an empty body': (response) => response.writeHead(200).end(),
    'another status': (response) => response.writeHead(999).end('{"data":{}}'),
    'an error without words': (response) =>
      respondJson(response, { error: { code: 'X', message: { a: 1 } } }, 400),
    'an error of another service': (response) =>
      respondJson(response, { error: { code: 'no such thing\r\n', message: 'x' } }, 404),
    'data that is null': (response) => respondJson(response, { data: null, meta: null }),
    'data that is a text': (response) => respondJson(response, { data: 'x', meta: 'y' }),
  };

  it.each(isLongForm ? Object.keys(HOW) : Object.keys(HOW).slice(0, 2))(
    'gets one line and exit code 4 from every command: %s',
    async (how) => {
      const service = await startHostileService((_, response) => HOW[how]?.(response));
      // `listen` waits on an empty stream, and reopens the stream forever.
      const names = how.endsWith('as a stream') ? REMOTE.filter((name) => name !== 'listen') : REMOTE;
      const look = (name: string, outcome: CallOutcome): void => {
        // The body of a response with 204 is not read.
        const isUnread = name !== 'messages delete' && / (delete|typing|block|unblock|leave)$/.test(name);
        if (how.startsWith('data that is') && isUnread) return;
        complaintOf(name, outcome);
      };
      await callAll(service, names, look, '1');
    },
  );

  it('gets at most a thousand characters of an error printed, on one line', async () => {
    const error = { code: 'NOT_FOUND', message: `${'x'.repeat(MEBIBYTE)}\nforged`, request_id: 'req\n1' };
    const service = await startHostileService((_, response) => respondJson(response, { error }, 404));
    const names = REMOTE.filter((name) => name !== 'openapi');
    await callAll(service, isLongForm ? names : names.slice(0, 5), (name, outcome) => {
      expect(exitCodeOf(outcome), name).toBe(4);
      expect(outcome.stderr, name).toMatch(/^trunkline: x{999}…\n$/);
    });
  });

  it.runIf(isLongForm)('is not asked for pages or batches without end', async () => {
    const service = await startHostileService(({ path }, response) => {
      if (path.endsWith('/retry-failed')) respondJson(response, { data: { requeued: 1, remaining: 9 } });
      else respondJson(response, { data: [], meta: { next_cursor: 'again' } });
    });
    const environment = environmentOf(service);
    const listed = await callCommand({ name: 'messages list' }, { environment });
    expect(complaintOf('messages list', listed)).toContain(
      'has not come to the end of the list in 1000 pages',
    );
    const args = { webhook: 'wh_1' };
    const retried = await callCommand(
      { name: 'deliveries retry-failed', args, options: { yes: true } },
      { environment },
    );
    expect(exitCodeOf(retried)).toBe(1);
    expect(retried.stderr).toBe(
      'trunkline: 2000 deliveries are queued again, and the service still has some: run the command again.\n',
    );
  });

  it.runIf(isLongForm)('ends a wait when its time is over, also within a request', async () => {
    const message = { data: { ...MESSAGE, status: 'queued' } };
    const service = await startHostileService(({ method }, response) => {
      if (method === 'POST') respondJson(response, message, 202);
      else drip(response, 'application/json');
    });
    const environment = environmentOf(service, '3600');
    const call = { name: 'send', args: ARGS, options: { instance: 'ins_1', timeout: '1' } };
    const outcome = await callCommand(call, { environment });
    expect(outcome.stdout).toBe('msg_1 queued\n');
    expect(outcome.stderr).toMatch(/^trunkline: msg_1 is queued, and not read after 1 s: /);
  });
});

const INSTANCE = {
  id: 'ins_1',
  name: 'Shop',
  network: 'sandbox',
  status: 'qr_required',
  phone_number: null,
  profile_name: null,
  last_error: null,
  status_changed_at: null,
};

const MESSAGE = {
  id: 'msg_1',
  instance_id: 'ins_1',
  direction: 'outbound',
  type: 'text',
  status: 'read',
  kind: 'text',
  to: '15550100',
  from: null,
  group_id: null,
  contact: null,
  reply_to: null,
  text: 'Hello',
  caption: null,
  media: null,
  error: null,
  created_at: '2026-11-20T21:20:00.123+00:00',
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
};

describe('A service that responds about another object', () => {
  it('is not trusted: the followed message must be the one that was sent', async () => {
    const service = await startHostileService(({ method }, response) => {
      if (method === 'POST') respondJson(response, { data: { ...MESSAGE, status: 'queued' } }, 202);
      else respondJson(response, { data: { ...MESSAGE, id: 'msg_of_another_workspace' } });
    });
    const call = { name: 'send', args: ARGS, options: { instance: 'ins_1' } };
    const outcome = await callCommand(call, { environment: environmentOf(service) });
    expect(exitCodeOf(outcome)).toBe(4);
    expect(outcome.stdout).toBe('msg_1 queued\n');
    expect(outcome.stderr).toContain('expected what was asked for');
    const shown = await callCommand(
      { name: 'messages show', args: { message: 'msg_1' } },
      { environment: environmentOf(service) },
    );
    expect(complaintOf('messages show', shown)).toContain('expected what was asked for');
  });

  it.each([
    ['a QR that no QR can hold', { code: 'x'.repeat(901) }],
    ['a QR of something else', { code: null }],
    ['a pairing code to type into a terminal', { code: '2@x', pairing_code: '1234\n$ reboot' }],
    ['a pairing code with escapes', { code: '2@x', pairing_code: '\u001b]52;c;eA==\u0007' }],
  ])('gets %s refused by connect', async (_, more) => {
    const qr = { pairing_code: null, expires_at: '2026-11-20T21:15:20.000+00:00', ...more };
    const service = await startHostileService(({ path }, response) =>
      respondJson(response, { data: path.endsWith('/qr') ? qr : INSTANCE }),
    );
    const call = { name: 'connect', args: { instance: 'ins_1' }, options: { qr: true } };
    const outcome = await callCommand(call, { environment: environmentOf(service) });
    expect(exitCodeOf(outcome)).toBe(4);
    expect(outcome.stdout).toBe('ins_1 is qr_required\n');
    expect(outcome.stderr).toMatch(/^trunkline: The response of \S+ is not as the API has it \(data\..*\n$/);
  });

  it('draws a QR of escapes as any other', async () => {
    const qr = {
      code: '\u001b[2J\u202e',
      pairing_code: 'ABCD-1234',
      expires_at: '2026-11-20T21:15:20.000+00:00',
    };
    let isScanned = false;
    const service = await startHostileService(({ path }, response) => {
      const status = isScanned ? 'connected' : 'qr_required';
      isScanned ||= path.endsWith('/qr');
      respondJson(response, { data: path.endsWith('/qr') ? qr : { ...INSTANCE, status } });
    });
    const call = { name: 'connect', args: { instance: 'ins_1' }, options: { qr: true } };
    const outcome = await callCommand(call, { environment: environmentOf(service) });
    expect(outcome.stdout).toMatch(
      /^ins_1 is qr_required\nScan this with the phone \(Linked devices, Link a device\), or type ABCD-1234 there:\n[ ▀▄█\n]+\nins_1 is connected as Shop\n$/,
    );
  });

  it('is told what to do if the network links devices only with a passkey', async () => {
    const failed = { ...INSTANCE, status: 'error', last_error: 'passkey_required' };
    const service = await startHostileService((_, response) => respondJson(response, { data: failed }));
    const call = { name: 'connect', args: { instance: 'ins_1' } };
    const outcome = await callCommand(call, { environment: environmentOf(service) });
    expect(exitCodeOf(outcome)).not.toBe(0);
    expect(outcome.stderr).toMatch(
      /ins_1 is error: passkey_required\. .* only with its passkey, which nobody gave in time\. Begin again/,
    );
  });

  it('gets typed ids unchanged, in one segment of its path', async () => {
    const service = await startHostileService((_, response) => response.writeHead(404).end());
    const cwd = temporaryDirectory();
    const env = environmentOf(service);
    for (const id of ['-rf', '--json', '../../sandbox', 'a/b?c#d', '%2e%2e', '\u001b[2J', 'é'])
      expect(await runCommand(['messages', 'show', '--', id], { cwd, env }), id).toMatchObject({
        code: 4,
        stdout: '',
      });
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/api/v1/messages/-rf',
      '/api/v1/messages/--json',
      '/api/v1/messages/..%2F..%2Fsandbox',
      '/api/v1/messages/a%2Fb%3Fc%23d',
      '/api/v1/messages/%252e%252e',
      '/api/v1/messages/%1B%5B2J',
      '/api/v1/messages/%C3%A9',
    ]);
    const huge = await runCommand(['messages', 'show', 'x'.repeat(120_000)], { cwd, env });
    expect(huge).toMatchObject({ code: 4, stdout: '' });
    expect(huge.stderr).toMatch(/^trunkline: .{1,600}\n$/);
  });

  it('gets no id printed that a shell would run', async () => {
    const service = await startHostileService((_, response) =>
      respondJson(response, { data: { ...MESSAGE, id: 'msg_1;reboot' } }, 202),
    );
    const call = { name: 'send', args: ARGS, options: { instance: 'ins_1' } };
    const outcome = await callCommand(call, { environment: environmentOf(service) });
    expect(complaintOf('send', outcome)).not.toContain('reboot');
  });
});

describe('A download', () => {
  const FILE = Buffer.alloc(3 * MEBIBYTE, 'file');
  const HEADERS = {
    'Content-Type': 'text/plain',
    'Content-Disposition': 'attachment; filename="../../../../tmp/owned"; filename*=UTF-8\'\'%2Fetc%2Fpasswd',
  };

  it.runIf(isLongForm)(
    'gets its name only once it is complete: after a kill there is none, and it can be repeated',
    async () => {
      let isWell = false;
      const service = await startHostileService((_, response) => {
        response.writeHead(200, { ...HEADERS, 'Content-Length': FILE.length });
        if (isWell) response.end(FILE);
        else response.write(FILE.subarray(0, 2 * MEBIBYTE));
      });
      const cwd = temporaryDirectory();
      const env = environmentOf(service);
      const first = startCommand(['messages', 'download', 'msg_1', 'copy.txt'], { cwd, env });
      await until('half of it is there', () =>
        readdirSync(cwd).some((name) => name.endsWith('.part') && lstatSync(join(cwd, name)).size > 0),
      );
      await first.kill();
      expect(existsSync(join(cwd, 'copy.txt'))).toBe(false);
      const left = readdirSync(cwd);
      expect(left).toEqual([expect.stringMatching(/^\.copy\.txt\.[0-9a-f]{12}\.part$/)]);
      isWell = true;
      const second = await runCommand(['messages', 'download', 'msg_1', 'copy.txt'], { cwd, env });
      expect(second).toEqual({ code: 0, stderr: '', stdout: `copy.txt: ${FILE.length} bytes, text/plain\n` });
      expect(readFileSync(join(cwd, 'copy.txt'))).toEqual(FILE);
      expect(lstatSync(join(cwd, 'copy.txt')).mode & 0o777).toBe(0o600);
      // The command removes only the files of its own run, and ignores the file name that the service sends.
      expect(readdirSync(cwd).toSorted()).toEqual([...left, 'copy.txt']);
    },
  );

  it('leaves nothing if it is interrupted, breaks off or is too slow', async () => {
    let how: 'stop' | 'break' | 'drip' = 'stop';
    const service = await startHostileService((_, response) => {
      if (how === 'drip') return drip(response, 'text/plain', 200, HEADERS);
      response.writeHead(200, { ...HEADERS, 'Content-Length': FILE.length });
      response.write(FILE.subarray(0, MEBIBYTE), () => {
        if (how === 'break') response.destroy();
      });
    });
    const cwd = temporaryDirectory();
    const environment = environmentOf(service);
    const call = { name: 'messages download', args: { message: 'msg_1', path: join(cwd, 'copy.txt') } };
    const interruption = new AbortController();
    const stopped = callCommand(call, {
      environment,
      signal: interruption.signal,
    });
    await until('it has begun', () => readdirSync(cwd).length > 0);
    interruption.abort(new Error('Interrupted.'));
    expect((await stopped).stderr).toBe('trunkline: Interrupted.\n');
    expect(readdirSync(cwd)).toEqual([]);
    how = 'break';
    expect((await callCommand(call, { environment })).stderr).toMatch(
      /could not be downloaded to .*copy\.txt: the connection ended\. Nothing was kept: try again\.\n$/,
    );
    how = 'drip';
    expect((await callCommand(call, { environment: environmentOf(service, '1') })).stderr).toMatch(
      /^trunkline: The file comes from \S+ at less than 4 KiB per second: .*\n$/,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('replaces neither a file, nor a broken link, nor a file created meanwhile', async () => {
    const cwd = temporaryDirectory();
    const service = await startHostileService((_, response) => {
      response.writeHead(200, HEADERS).write(FILE.subarray(0, 8));
      // Creates the file during the download, as another process might.
      void until('the download has begun', () =>
        readdirSync(cwd).some((name) => name.endsWith('.part')),
      ).then(() => {
        writeFileSync(join(cwd, 'raced.txt'), 'theirs');
        response.end(FILE.subarray(8));
      });
    });
    writeFileSync(join(cwd, 'mine.txt'), 'mine');
    symlinkSync(join(cwd, 'nowhere'), join(cwd, 'link.txt'));
    const environment = environmentOf(service);
    for (const path of ['mine.txt', 'link.txt', 'raced.txt']) {
      const call = { name: 'messages download', args: { message: 'msg_1', path: join(cwd, path) } };
      const outcome = await callCommand(call, { environment });
      expect(outcome.stderr).toContain(
        `${path} already exists, and would be overwritten: name another file.`,
      );
    }
    expect(readdirSync(cwd).toSorted()).toEqual(['link.txt', 'mine.txt', 'raced.txt']);
    expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('mine');
    expect(readFileSync(join(cwd, 'raced.txt'), 'utf8')).toBe('theirs');
  });

  it.runIf(isLongForm)('leaves nothing if there is no room, and says so', async () => {
    const service = await startHostileService((_, response) => response.writeHead(200, HEADERS).end(FILE));
    const cwd = temporaryDirectory();
    // Limits the size of files, because a test cannot fill the disk.
    const command = `ulimit -f 1024; exec "$0" --conditions=source "${COMMAND_LINE}" messages download msg_1 copy.txt`;
    const child = spawn('bash', ['-c', command, process.execPath], {
      cwd,
      env: { ...environmentOf(service), PATH: process.env['PATH'], HOME: cwd },
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1);
    expect(said).toMatch(/There is no room for copy\.txt \(EFBIG\): nothing was kept\./);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('A stream of events', () => {
  const position = 'id: evt_0\n\n';

  const streams: readonly [string, string, string][] = [
    ['an invalid id', 'id: evt_1$(reboot)\nevent: message.sent\ndata: {}\n\n', 'an id or a type'],
    ['an invalid type', 'id: evt_1\nevent: x\u009b2J\ndata: {}\n\n', 'an id or a type'],
    ['a line without end', `data: ${'x'.repeat(5 * MEBIBYTE)}`, 'a block is longer than 4 MiB'],
    ['lines without end', 'data: x\n'.repeat(MEBIBYTE), 'a block is longer than 4 MiB'],
  ];

  it.each(isLongForm ? streams : streams.slice(0, 3))(
    'ends the command, and forwards nothing: %s',
    async (_, text, why) => {
      const program = await startHostileService((_request, response) => response.end());
      const service = await startHostileService((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(position + text);
      });
      const call = { name: 'listen', options: { 'forward-to': program.url } };
      const outcome = await callCommand(call, {
        environment: environmentOf(service),
      });
      expect(exitCodeOf(outcome)).toBe(4);
      expect(outcome.stderr).toContain(why);
      expect(outcome.stdout).toBe('');
      expect(program.requests).toEqual([]);
    },
  );

  it('skips malformed or wrong events, and reports that', async () => {
    const program = await startHostileService((_request, response) => response.end());
    const event = {
      id: 'evt_9',
      type: 'message.sent',
      created_at: '2026-11-20T21:20:00.123000Z',
      workspace_id: 'ten_1',
      data: { message: MESSAGE },
    };
    const bodies = [
      'null',
      '[]',
      '{"id":1}',
      JSON.stringify({ ...event, id: 'evt_other' }),
      JSON.stringify({ ...event, id: 'evt_5', type: 'message.read' }),
      JSON.stringify({ ...event, id: 'evt_6', data: { message: null } }),
      JSON.stringify({ ...event, id: 'evt_7', data: { message: { ...MESSAGE, text: 7 } } }),
      JSON.stringify({ ...event, id: 'evt_8', data: { instance: { id: 'ins_1' } } }),
    ];
    const blocks = bodies.map(
      (body, index) => `id: evt_${index + 1}\nevent: message.sent\ndata: ${body}\n\n`,
    );
    const service = await startHostileService((_request, response) => {
      const last = `id: evt_9\nevent: message.sent\ndata: ${JSON.stringify(event)}\n\n`;
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .write(position + blocks.join('') + last);
    });
    const env = environmentOf(service);
    const listen = startCommand(['listen', '--forward-to', program.url], { cwd: temporaryDirectory(), env });
    await listen.printed(/evt_9  msg_1  to 15550100  Hello  → 200/);
    listen.signal('SIGINT');
    expect(await listen.ended).toBe(130);
    expect(listen.stdout().trimEnd().split('\n')).toHaveLength(1);
    expect(listen.stderr().match(/^The event evt_\d is left out: /gm)).toHaveLength(bodies.length);
    expect(program.requests.map(({ body }) => JSON.parse(body).id)).toEqual(['evt_9']);
  });

  it.runIf(isLongForm)('is reopened at its position if it goes silent', async () => {
    const asked: (string | undefined)[] = [];
    const service = await startHostileService((request, response) => {
      asked.push(request.lastEventId);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('id: evt_7\n\n');
      const comments = setInterval(() => response.write(':\n'), 100);
      response.on('close', () => clearInterval(comments));
    });
    const listen = startCommand(['listen'], { cwd: temporaryDirectory(), env: environmentOf(service, '1') });
    await until('it is opened again', () => asked.length > 1);
    listen.signal('SIGTERM');
    expect(await listen.ended).toBe(143);
    expect(asked.slice(0, 2)).toEqual([undefined, 'evt_7']);
  });

  it.runIf(isLongForm)('is not forwarded to where the program redirects', async () => {
    const other = await startHostileService((_request, response) => response.end());
    const program = await startHostileService((_request, response) => {
      response.writeHead(307, { Location: other.url }).end();
    });
    const event = {
      id: 'evt_1',
      type: 'message.sent',
      created_at: 'now',
      workspace_id: 'ten_1',
      data: { message: MESSAGE },
    };
    const service = await startHostileService((_request, response) => {
      const block = `id: evt_1\nevent: message.sent\ndata: ${JSON.stringify(event)}\n\n`;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(block);
    });
    const env = environmentOf(service);
    const listen = startCommand(['listen', '--forward-to', program.url], { cwd: temporaryDirectory(), env });
    await listen.printed(/→ 307 in \d+ ms, attempt 3/);
    listen.signal('SIGINT');
    await listen.ended;
    expect(other.requests).toEqual([]);
  });
});

describe('A wrong connection', () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;
  const certificate = (name: string, daysLeft: number) =>
    generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notBeforeDate: new Date(Date.now() - 60 * DAY_MS),
      notAfterDate: new Date(Date.now() + daysLeft * DAY_MS),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        {
          name: 'subjectAltName',
          altNames: [name === '127.0.0.1' ? { type: 7, ip: name } : { type: 2, value: name }],
        },
      ],
    });

  it.runIf(isLongForm).each<[string, string, number, boolean, RegExp]>([
    ['signed by itself', '127.0.0.1', 30, false, /self-signed certificate/],
    ['for another host', 'messages.example.com', 30, true, /not in the cert's list/],
    ['that has expired', '127.0.0.1', -1, true, /certificate has expired/],
  ])('with a certificate %s gets no key and no text', async (_, name, daysLeft, isTrusted, why) => {
    const { private: key, cert } = await certificate(name, daysLeft);
    const service = await startHostileService((_request, response) => respondJson(response, { data: [] }), {
      key,
      cert,
    });
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'ca.pem'), cert);
    const env = { ...environmentOf(service), ...(isTrusted && { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') }) };
    const listed = await runCommand(['messages', 'list'], { cwd, env });
    expect(listed).toMatchObject({ code: 4, stdout: '' });
    expect(listed.stderr).toMatch(
      /^trunkline: The certificate of https:\S+ is not valid here \(.*\): have it renewed or corrected\. .*\n$/,
    );
    expect(listed.stderr).toMatch(why);
    expect(service.requests).toEqual([]);
  });

  it('is refused in one line if it has the other protocol', async () => {
    const { private: key, cert } = await certificate('127.0.0.1', 30);
    const tls = await startHostileService((_request, response) => response.end(), { key, cert });
    const plain = await startHostileService((_request, response) => response.end());
    for (const url of [tls.url.replace('https', 'http'), plain.url.replace('http', 'https')]) {
      const environment = { ...environmentOf(plain), TRUNKLINE_URL: url };
      complaintOf(url, await callCommand({ name: 'messages list' }, { environment }));
    }
    expect([...tls.requests, ...plain.requests]).toEqual([]);
  });
});

describe('The address of a service', () => {
  it.each([
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://me@example.com',
    'http://:secret@example.com',
    'http://example.com/?',
    'http://example.com/#',
    'http://example.com/?a=1',
    '//example.com',
    'http://',
    '',
    ' ',
    '\u001b[2J',
  ])('is refused if it is %j, with a flag, in the environment and in a profile', async (url) => {
    const cwd = temporaryDirectory();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(cwd, 'trunkline'));
    const profiles = { default: 'odd', profiles: { odd: { url, key: KEY } } };
    writeFileSync(join(cwd, 'trunkline', 'profiles.json'), JSON.stringify(profiles), { mode: 0o600 });
    const environment = { XDG_CONFIG_HOME: cwd };
    const outcomes = [
      await callCommand({ name: 'messages list' }, { environment }),
      await callCommand({ name: 'messages list', options: { url } }, { environment: {} }),
    ];
    // Surrounding white space is removed, and an empty value counts as unset.
    if (url.trim() !== '')
      outcomes.push(
        await callCommand(
          { name: 'messages list' },
          { environment: { TRUNKLINE_URL: url, TRUNKLINE_API_KEY: KEY } },
        ),
      );
    for (const outcome of outcomes) {
      expect(exitCodeOf(outcome)).toBe(2);
      expect(outcome.stderr).toMatch(/^trunkline: The URL of the service must be like .*\n$/);
    }
  });
});

describe('Output', () => {
  it.runIf(isLongForm)('may lose its reader without an error, on stdout or on stderr', async () => {
    const service = await startHostileService((_, response) =>
      respondJson(response, { data: [], meta: { next_cursor: null } }),
    );
    const cwd = temporaryDirectory();
    const run = (rest: string): Promise<readonly [number | null, string]> => {
      const child = spawn(
        'bash',
        ['-c', `set -o pipefail; "$0" --conditions=source "${COMMAND_LINE}" ${rest}`, process.execPath],
        {
          cwd,
          env: { ...environmentOf(service), PATH: process.env['PATH'], HOME: cwd },
        },
      );
      let said = '';
      child.stderr.on('data', (text: Buffer) => (said += text.toString()));
      return new Promise((resolve) => child.on('close', (code) => resolve([code, said])));
    };
    expect(await run('messages list | true')).toEqual([0, '']);
    expect(await run('messages show msg_1 2>&1 >/dev/null | true')).toEqual([4, '']);
    if (existsSync('/dev/full')) {
      expect(await run('messages list > /dev/full')).toEqual([
        1,
        'trunkline: The output cannot be written (ENOSPC).\n',
      ]);
      expect((await run('messages show msg_1 2> /dev/full'))[0]).toBe(4);
    }
  });

  it('is JSON if --json is an option, and not if it is the value of one', async () => {
    const service = await startHostileService((_, response) =>
      respondJson(response, { data: [], meta: { next_cursor: null } }),
    );
    const cwd = temporaryDirectory();
    const env = environmentOf(service);
    expect((await runCommand(['messages', 'list', '--json'], { cwd, env })).stdout).toBe('{"data":[]}\n');
    const asValue = await runCommand(['messages', 'list', '--counterpart', '--json'], { cwd, env });
    expect(asValue.stdout).toBe('id  at  direction  status  with  text\n');
    const both = await runCommand(['messages', 'list', '--counterpart', '--json', '--json'], { cwd, env });
    expect(both.stdout).toBe('{"data":[]}\n');
    const misspelt = await runCommand(['mesages', '--json'], { cwd, env });
    expect(JSON.parse(misspelt.stderr)).toMatchObject({ error: { code: 'USAGE' } });
  });

  it.runIf(isLongForm && terminalMissing() === null).each([{ TERM: 'dumb' }, { NO_COLOR: '1' }])(
    'in a terminal with %j has no escapes',
    async (more) => {
      const service = await startHostileService((_, response) =>
        respondJson(response, { data: { requeued: 3, remaining: 0 } }),
      );
      const retry = startInTerminal(['deliveries', 'retry-failed', 'wh_1', '--yes'], {
        cwd: temporaryDirectory(),
        env: { ...environmentOf(service), ...more },
      });
      expect(await retry.ended).toBe(0);
      const said = retry.stdout().replaceAll('\r\n', '\n');
      const withoutProgress = more.TERM === 'dumb' ? said : said.replaceAll('\r\u001b[K', '');
      expect(withoutProgress).not.toContain('\u001b');
      expect(withoutProgress).toMatch(/3 deliveries are queued again\.\n$/);
    },
  );
});

function drip(
  response: ServerResponse,
  type: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'Content-Type': type });
  response.write('{');
  const drops = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(drops));
}

function flood(response: ServerResponse, piece: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}
