import { Readable } from 'node:stream';
import { createDeflate, deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { MOST_TOKENS, readHistory } from './history-content.ts';
import type { HistoryContent } from './history-content.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const DAY_SECONDS = 86_400;
const TODAY: number = NOW / 1_000;
const ANN = '105511955550005@lid';

const encoded = (history: proto.IHistorySync): Uint8Array => proto.HistorySync.encode(history).finish();

/** A chat with a message that has the numbers of all fields that are read. */
function chat(known: proto.IConversation): proto.IConversation {
  const message = {
    conversation: 'x'.repeat(10_000),
    messageContextInfo: { messageSecret: new Uint8Array(32) },
  };
  return { ...known, messages: [{ message: { key: { id: '3A01' }, message } }], pHash: 'hash', pinned: 5 };
}

/** Reads the bytes in pieces of this size. */
function read(bytes: Uint8Array, size = bytes.length): Promise<HistoryContent> {
  const compressed = deflateSync(bytes);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < compressed.length; at += size) yield compressed.subarray(at, at + size);
  }
  return readHistory(pieces(), NOW);
}

describe('a history', () => {
  it('yields the tokens of its chats and the salt, and nothing else', async () => {
    const salt = Buffer.alloc(32, 7);
    const history = encoded({
      syncType: proto.HistorySync.HistorySyncType.RECENT,
      pushnames: [{ id: ANN, pushname: 'Ann' }],
      conversations: [
        chat({
          id: ANN,
          tcToken: Buffer.from('one'),
          tcTokenTimestamp: TODAY,
          tcTokenSenderTimestamp: TODAY - 5,
        }),
        chat({
          id: '5511@s.whatsapp.net',
          lidJid: '1055@lid',
          tcToken: Buffer.from('two'),
          tcTokenTimestamp: TODAY,
        }),
        chat({ id: '5522@s.whatsapp.net', tcToken: Buffer.from('three'), tcTokenTimestamp: TODAY }),
        chat({ id: '5533@s.whatsapp.net' }),
        chat({ id: '120363000000000001@g.us', tcToken: Buffer.from('four'), tcTokenTimestamp: TODAY }),
      ],
    });
    const whole = Buffer.concat([history, Buffer.from([0x9a, 0x01, salt.length]), salt]);
    const found = await read(whole);
    expect(
      found.tokens.map(({ jid, token, givenAt, ours }) => [jid, String(Buffer.from(token)), givenAt, ours]),
    ).toEqual([
      [ANN, 'one', TODAY, TODAY - 5],
      ['1055@lid', 'two', TODAY, null],
      ['5522@s.whatsapp.net', 'three', TODAY, null],
    ]);
    expect(found.salt).toEqual(salt);
    const inPieces = await read(whole, 1);
    expect(inPieces.tokens).toHaveLength(3);
    expect(Buffer.from(inPieces.salt ?? [])).toEqual(salt);
  });

  it('has no salt if the phone sends none', async () => {
    expect(await read(encoded({ progress: 100 }))).toEqual({ tokens: [], salt: null });
  });

  it('is read without the tokens that WhatsApp no longer accepts', async () => {
    const given = [0, 27, 29].map((days) => ({
      id: `${days}@lid`,
      tcToken: Buffer.from('token'),
      tcTokenTimestamp: TODAY - days * DAY_SECONDS,
    }));
    const { tokens } = await read(
      encoded({ conversations: [...given, { id: 'empty@lid', tcTokenTimestamp: TODAY }] }),
    );
    expect(tokens.map(({ jid }) => jid)).toEqual(['0@lid']);
  });

  it('yields no token that is longer than any, so that little of a chat is in memory', async () => {
    const known = { id: ANN, tcToken: Buffer.alloc(4_097, 1), tcTokenTimestamp: TODAY };
    expect((await read(encoded({ conversations: [known] }))).tokens).toEqual([]);
    const shorter = { ...known, tcToken: known.tcToken.subarray(1) };
    expect((await read(encoded({ conversations: [shorter] }))).tokens).toHaveLength(1);
  });

  it('yields at most 5,000 tokens, those of the first chats', async () => {
    const conversations = Array.from({ length: MOST_TOKENS + 1 }, (_, index) => ({
      id: `${index}@lid`,
      tcToken: Buffer.from('token'),
      tcTokenTimestamp: TODAY,
    }));
    const { tokens } = await read(encoded({ conversations }));
    expect(tokens).toHaveLength(MOST_TOKENS);
    expect(tokens.at(-1)?.jid).toBe(`${MOST_TOKENS - 1}@lid`);
  });

  it.each([
    ['that breaks off', encoded({ conversations: [{ id: ANN }] }).slice(0, -1)],
    ['with a chat that is longer than the history', Buffer.from([0x12, 0x7f, 0x0a, 0x01])],
    ['with a field that is longer than its chat', Buffer.from([0x12, 0x03, 0x0a, 0x7f, 0x01])],
    ['with an unknown type of field', Buffer.from([0x0b])],
    ['with an endless number', Buffer.alloc(12, 0xff)],
  ])('%s is refused', async (_, bytes) => {
    await expect(read(bytes)).rejects.toThrow();
  });

  it('that is not compressed is refused', async () => {
    async function* plain(): AsyncGenerator<Uint8Array> {
      yield encoded({ progress: 100 });
    }
    await expect(readHistory(plain(), NOW)).rejects.toThrow();
  });

  it.runIf(isLongForm)('of 128 megabytes is not in memory as a whole', async () => {
    const part = encoded({ conversations: Array.from({ length: 100 }, () => chat({ id: ANN })) });
    const compressor = createDeflate({ level: 1 });
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    async function* written(): AsyncGenerator<Uint8Array> {
      for (let length = 0; length < 134_217_728; length += part.length) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        yield part;
      }
    }
    const { tokens } = await readHistory(Readable.from(written()).pipe(compressor), NOW);
    expect(tokens).toEqual([]);
    expect(most).toBeLessThan(67_108_864);
  });
});
