import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { elapsing } from '@trunkline/test-support';
import { memoryStore } from '@trunkline/receiver';
import type { Receiver, WebhookEvent } from '@trunkline/receiver';
import { signRequest } from '@trunkline/receiver/testing';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Context } from '../src/form.ts';
import { createForwarder } from '../src/forward.ts';
import { openwaForm } from '../src/forms/openwa.ts';
import { wahaForm } from '../src/forms/waha.ts';
import { EXAMPLES, receivedWith } from './events.ts';

const MAIN = new URL('../src/main.ts', import.meta.url);
const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const context: Context = {
  sessionOf: () => 'default',
  mediaUrlOf: (id) => id,
  readQr: async () => null,
};
const received = receivedWith({});

interface Got {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A consumer of the other service's webhooks. It responds with these statuses in order, and then with 200. */
async function startConsumer(...statuses: readonly number[]): Promise<{ url: string; got: readonly Got[] }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path, headers } = request;
      got.push({ path, headers, text: Buffer.concat(chunks).toString() });
      if (headers['x-hang'] !== undefined) return; // never responds
      const status = statuses[got.length - 1] ?? 200;
      response.writeHead(status, { location: '/elsewhere' }).end('{"qr": 1}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: urlOf(server.address()), got };
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`;
}

async function send(receiver: Receiver, event: WebhookEvent): Promise<number> {
  return (await receiver.receive(await signRequest({ secret, event }))).status;
}

describe('the forwarder', () => {
  it('posts the webhook that WAHA would have posted, with its headers', async () => {
    const { url, got } = await startConsumer();
    const form = wahaForm({ hmacKey: 'old key' });
    const receiver = createForwarder({ secret, form, context, url, headers: { 'X-Shop': '7' } });
    expect(await send(receiver, received)).toBe(204);
    expect(got.map(({ text }) => JSON.parse(text).event)).toEqual(['message', 'message.any']);
    expect(got.map(({ headers }) => headers['x-webhook-request-id'])).toEqual([
      received.id,
      `${received.id}_2`,
    ]);
    for (const { headers, text } of got)
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-shop': '7',
        'x-webhook-hmac-algorithm': 'sha512',
        'x-webhook-hmac': createHmac('sha512', 'old key').update(text).digest('hex'),
      });
  });

  it('signs like OpenWA', async () => {
    const { url, got } = await startConsumer();
    const receiver = createForwarder({ secret, form: openwaForm({ secret: 'old' }), context, url });
    expect(await send(receiver, received)).toBe(204);
    const [only] = got;
    expect(only?.headers).toMatchObject({
      'x-openwa-event': 'message.received',
      'x-openwa-signature': `sha256=${createHmac('sha256', 'old')
        .update(only?.text ?? '')
        .digest('hex')}`,
    });
  });

  it('posts only the events that the consumer wants', async () => {
    const { url, got } = await startConsumer();
    const receiver = createForwarder({ secret, form: wahaForm(), context, url, events: ['message'] });
    for (const event of EXAMPLES) expect(await send(receiver, event)).toBe(204);
    expect(got.map(({ text }) => JSON.parse(text).event)).toEqual(['message']);
  });

  it.each([
    ['a failure', 500],
    ['a refusal', 404],
    ['a redirect', 302],
  ])(
    'responds to Trunkline with 500 after %s, and posts the event again when Trunkline does',
    async (_what, status) => {
      const { url, got } = await startConsumer(status);
      const problems: unknown[] = [];
      const receiver = createForwarder({
        secret,
        form: wahaForm(),
        context,
        url,
        events: ['message'],
        onError: (error) => problems.push(error),
      });
      expect(await send(receiver, received)).toBe(500);
      expect(problems).toHaveLength(1);
      expect(await send(receiver, received)).toBe(204);
      expect(got[1]?.text).toBe(got[0]?.text);
      // The consumer does not get accepted webhooks again.
      expect(await send(receiver, received)).toBe(204);
      expect(got).toHaveLength(2);
    },
  );

  it('gives up a consumer that does not answer, so that Trunkline can try again', async () => {
    const { url, got } = await startConsumer();
    const options = { secret, form: wahaForm(), context, url, events: ['message'], store: memoryStore() };
    const headers = { 'X-Hang': '1' };
    const impatient = createForwarder({ ...options, headers, timeoutMs: elapsing(50), onError: () => {} });
    expect(await send(impatient, received)).toBe(500);
    expect(await send(createForwarder(options), received)).toBe(204);
    expect(await send(createForwarder(options), received)).toBe(204);
    expect(got.filter((each) => each.headers['x-hang'] === undefined)).toHaveLength(1);
  });

  it('posts all of an event again if the consumer accepts only a part of it', async () => {
    const { url, got } = await startConsumer(200, 503);
    const receiver = createForwarder({ secret, form: wahaForm(), context, url, onError: () => {} });
    expect([await send(receiver, received), await send(receiver, received)]).toEqual([500, 204]);
    const events = got.map(({ text }) => JSON.parse(text).event);
    expect(events).toEqual(['message', 'message.any', 'message', 'message.any']);
  });

  it('posts nothing that Trunkline has not signed', async () => {
    const { url, got } = await startConsumer();
    const receiver = createForwarder({ secret, form: wahaForm(), context, url });
    const request = await signRequest({ secret: `${secret}x`, event: received });
    expect((await receiver.receive(request)).status).toBe(401);
    expect(got).toEqual([]);
  });
});

describe('the program', () => {
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, TRUNKLINE_API_KEY: 'trk_test', PORT: '0' };

  it('forwards to a consumer of Evolution API, with the QR that it reads from Trunkline', async () => {
    const consumer = await startConsumer();
    const api = createServer((request, response) => {
      const qr = {
        svg: '<svg/>',
        code: '2@abc',
        pairing_code: null,
        expires_at: '2026-11-23T00:00:00+00:00',
      };
      const isRight =
        request.url === '/api/v1/instances/ins_01kaj2p9v6e8gr5d0mz7q4xw1c/qr' &&
        request.headers.authorization === 'Bearer trk_test';
      response.writeHead(isRight ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: qr }));
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    onTestFinished(() => void api.close());
    const program = startNodeProgram(MAIN, {
      env: {
        ...env,
        FORM: 'evolution',
        BY_EVENTS: 'on',
        FORWARD_TO: consumer.url,
        TRUNKLINE_URL: urlOf(api.address()).replace('/hook', ''),
        SESSIONS: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c=shop',
      },
    });
    const [, url = ''] = await program.printed(/Forwarding from (\S+) to/);
    const event = EXAMPLES.find(({ type }) => type === 'instance.qr_required');
    if (!event) throw new Error('There is no example of instance.qr_required.');
    const { method, headers, body } = await signRequest({ secret, event });
    expect((await fetch(url, { method, headers, body })).status).toBe(204);
    expect(consumer.got.map(({ path }) => path)).toEqual(['/hook/qrcode-updated']);
    expect(JSON.parse(consumer.got[0]?.text ?? '')).toMatchObject({
      event: 'qrcode.updated',
      instance: 'shop',
      data: { qrcode: { code: '2@abc', base64: 'data:image/svg+xml;base64,PHN2Zy8+' } },
    });
    expect(await program.stop()).toBe(0);
  });

  it.each([
    ['', ['message', 'message.any']],
    ['session.status, message', ['message']],
  ])('forwards with EVENTS="%s" the events %j', async (EVENTS, expected) => {
    const consumer = await startConsumer();
    const program = startNodeProgram(MAIN, {
      env: { ...env, FORM: 'waha', FORWARD_TO: consumer.url, TRUNKLINE_URL: 'http://127.0.0.1:9', EVENTS },
    });
    const [, url = ''] = await program.printed(/Forwarding from (\S+) to/);
    const { method, headers, body } = await signRequest({ secret, event: received });
    expect((await fetch(url, { method, headers, body })).status).toBe(204);
    expect(consumer.got.map(({ text }) => JSON.parse(text).event)).toEqual(expected);
    expect(await program.stop()).toBe(0);
  });

  it.each([
    [
      'FORWARD_TO',
      'FORWARD_TO is missing: the URL of the consumer, as in FORWARD_TO=http://localhost:3000/webhook.',
    ],
    ['FORM', 'FORM must be waha, evolution or openwa.'],
  ])('does not start without %s', async (name, complaint) => {
    const complete = {
      ...env,
      FORM: 'waha',
      FORWARD_TO: 'http://127.0.0.1:9/',
      TRUNKLINE_URL: 'http://127.0.0.1:9',
    };
    const { ended, output } = startNodeProgram(MAIN, { env: { ...complete, [name]: '' } });
    expect({ code: await ended, output: output() }).toEqual({
      code: 1,
      output: `coming-from: ${complaint}\n`,
    });
  });
});
