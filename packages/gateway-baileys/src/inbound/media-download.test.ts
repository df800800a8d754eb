import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { getMediaKeys } from '@whiskeysockets/baileys';
import { systemClock } from '@trunkline/core/node';
import { describe, expect, it } from 'vitest';
import { downloadMedia } from './media-download.ts';
import type { MediaFile } from './media-file.ts';
import type { MediaNetwork } from './media-network.ts';

const CONTENT: Buffer = randomBytes(50_000);

interface Sealed {
  readonly file: MediaFile;
  readonly encrypted: Buffer<ArrayBuffer>;
}

async function sealed(): Promise<Sealed> {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'document');
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const ciphertext = Buffer.concat([cipher.update(CONTENT), cipher.final()]);
  const mac = createHmac('sha256', macKey ?? '')
    .update(iv)
    .update(ciphertext)
    .digest()
    .subarray(0, 10);
  const fileSha256 = createHash('sha256').update(CONTENT).digest();
  const source = { directPath: '/v/file?oe=1', mediaKey, fileSha256, fileLength: CONTENT.length };
  return {
    file: { key: { id: '3A01' }, keyType: 'document', source },
    encrypted: Buffer.concat([ciphertext, mac]),
  };
}

function networkOf(hosts: Readonly<Record<string, (range: string | null) => Promise<Response>>>): {
  readonly network: MediaNetwork;
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  const network: MediaNetwork = {
    clock: systemClock(),
    async fetch(address, { headers }) {
      const { host } = new URL(address);
      asked.push(host);
      const respond = hosts[host];
      if (!respond) throw new Error(`${host} must not be asked.`);
      return respond(new Headers(headers).get('range'));
    },
    hosts: async () => Object.keys(hosts),
    noteHost() {},
    reuploads: { pathOf: () => null, request: () => Promise.reject(new Error('The phone is off.')) },
  };
  return { network, asked };
}

async function read(file: MediaFile, network: MediaNetwork): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of downloadMedia(file, network)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function broken(bytes: Uint8Array<ArrayBuffer>): Response {
  let isSent = false;
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isSent) controller.error(new Error('terminated'));
        else controller.enqueue(bytes);
        isSent = true;
      },
    }),
  );
}

describe('downloadMedia', () => {
  it('asks the hosts in their order, through the fetch that it was given', async () => {
    const { file, encrypted } = await sealed();
    const { network, asked } = networkOf({
      'first.whatsapp.net': () => Promise.reject(new Error('ECONNREFUSED')),
      'second.whatsapp.net': async () => new Response(null, { status: 503 }),
      'mmg.whatsapp.net': async () => new Response(encrypted),
    });
    expect((await read(file, network)).equals(CONTENT)).toBe(true);
    expect(asked).toEqual(['first.whatsapp.net', 'second.whatsapp.net', 'mmg.whatsapp.net']);
  });

  it.each([1, 15, 16, 17, 20_000, 50_015])('goes on after %i bytes', async (length) => {
    const { file, encrypted } = await sealed();
    const { network } = networkOf({
      a: async () => broken(encrypted.subarray(0, length)),
      b: async (range) => {
        expect(range).toBe(`bytes=${length}-`);
        const headers = { 'Content-Range': `bytes ${length}-${encrypted.length - 1}/${encrypted.length}` };
        return new Response(encrypted.subarray(length), { status: 206, headers });
      },
    });
    expect((await read(file, network)).equals(CONTENT)).toBe(true);
  });

  it('leaves out what it has where a host sends all of it again', async () => {
    const { file, encrypted } = await sealed();
    const { network } = networkOf({
      a: async () => broken(encrypted.subarray(0, 20_001)),
      b: async () => new Response(encrypted),
    });
    expect((await read(file, network)).equals(CONTENT)).toBe(true);
  });

  it('refuses another part of the file than the requested one', async () => {
    const { file, encrypted } = await sealed();
    const headers = { 'Content-Range': `bytes 0-99/${encrypted.length}` };
    const { network } = networkOf({
      a: async () => broken(encrypted.subarray(0, 100)),
      b: async () => new Response(encrypted.subarray(0, 100), { status: 206, headers }),
      c: async () => new Response(encrypted),
    });
    expect((await read(file, network)).equals(CONTENT)).toBe(true);
  });

  it('fails at the end if a byte differs, even without a digest of the sender', async () => {
    const { file, encrypted } = await sealed();
    encrypted[40_000] = (encrypted[40_000] ?? 0) ^ 1;
    const { network } = networkOf({ a: async () => new Response(encrypted) });
    await expect(read(file, network)).rejects.toThrow('not the one that was sent');
    const { fileSha256: _, ...source } = file.source;
    await expect(read({ ...file, source }, network)).rejects.toThrow('authentication code');
  });

  it('fails if no host has the file and the phone is off', async () => {
    const { file } = await sealed();
    const { network, asked } = networkOf({ a: async () => new Response(null, { status: 410 }) });
    await expect(read(file, network)).rejects.toThrow('The phone is off.');
    expect(asked).toEqual(['a']);
  });
});
