import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IncomingMessage } from '@trunkline/core/spi/gateway';
import { LARGEST_MEDIA_SIZE } from '@trunkline/core/spi/gateway';
import { isLongForm } from '@trunkline/test-support/long-form';
import { hurriedClock, linked } from './support/linked.ts';

const bytes: Uint8Array<ArrayBuffer> = new Uint8Array(300_000).map((_, i) => i % 251);
const FILE = { type: 'document', mimeType: 'application/pdf', filename: 'a.pdf', bytes } as const;

async function contentOf({ content }: IncomingMessage): Promise<Buffer> {
  if (content.type === 'text') throw new Error('The message has no file.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of await content.file.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a download', () => {
  it.runIf(isLongForm)('is tried again while the media host has troubles', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, FILE);
    const { message } = await link.first('message');
    wa.failMedia(500, 2);
    expect((await contentOf(message)).equals(bytes)).toBe(true);
  });

  it('goes on where it broke off', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, FILE);
    const { message } = await link.first('message');
    wa.failMedia('cut', 2);
    expect((await contentOf(message)).equals(bytes)).toBe(true);
  });

  it.runIf(isLongForm)('ends with an error if they persist', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, FILE);
    const { message } = await link.first('message');
    wa.failMedia(500, 10);
    await expect(contentOf(message)).rejects.toThrow('500');
  });

  it('ends with an error if the bytes are not those that were sent', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, FILE);
    const { message } = await link.first('message');
    wa.failMedia('corrupt', 10);
    await expect(contentOf(message)).rejects.toThrow();
  });

  it('follows no redirect of the media host', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const inside: string[] = [];
    const server = createServer((request, response) => {
      inside.push(request.url ?? '');
      response.end('what only this machine may read');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server does not listen.');

    await wa.inbound(reader, account, FILE);
    const { message } = await link.first('message');
    wa.failMedia({ redirectTo: `http://127.0.0.1:${address.port}/latest/meta-data` }, 10);
    await expect(contentOf(message)).rejects.toThrow('fetch failed');
    expect(inside).toEqual([]);
  });

  it('asks the sender’s phone for a file that the host has no more', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, FILE);
    const { message } = await link.first('message');
    wa.forgetMedia();
    await expect(contentOf(message)).rejects.toThrow();
    expect((await wa.receiptFor(id, 'server-error')).ids).toEqual([id]);
    wa.takeProblems();
  });
});

describe('a file with a false description', () => {
  const mediaKey = new Uint8Array(32).fill(1);

  const FALSE_SOURCES: readonly (readonly [string, object])[] = [
    [
      'another host',
      { url: 'https://169.254.169.254/latest/meta-data', directPath: '@169.254.169.254/latest' },
    ],
    ['another host by its path', { directPath: '//169.254.169.254/latest' }],
    ['no address', {}],
    ['more bytes than any file may have', { directPath: '/v/a', fileLength: LARGEST_MEDIA_SIZE + 1 }],
  ];

  it.each(isLongForm ? FALSE_SOURCES : FALSE_SOURCES.slice(0, 1))('is not fetched: %s', async (_, source) => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const documentMessage = { mimetype: 'application/pdf', mediaKey, ...source };
    await wa.inbound(reader, account, { type: 'raw', message: { documentMessage } });
    const { message } = await link.first('message');
    const fetched = vi.fn(globalThis.fetch);
    // Vitest would restore a spy a second time between two files.
    vi.stubGlobal('fetch', fetched);
    onTestFinished(() => void vi.unstubAllGlobals());
    await expect(contentOf(message)).rejects.toThrow();
    for (const [address] of fetched.mock.calls) expect(address).toMatch(/^https:\/\/127\.0\.0\.1:\d+\//);
  });
});
