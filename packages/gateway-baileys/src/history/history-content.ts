import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { isLidUser, isPnUser, jidNormalizedUser } from '@whiskeysockets/baileys';
import { isTokenUsable } from '../session/privacy-tokens.ts';
import type { PrivacyToken } from '../session/privacy-tokens.ts';
import { fieldStream } from './protobuf-fields.ts';
import type { FieldStream, MessageReader } from './protobuf-fields.ts';

/** The parts of a phone's history that are kept: with them, WhatsApp lets the number write to people it knows. */
export interface HistoryContent {
  readonly tokens: readonly PrivacyToken[];
  /** The account's salt; null if this part of the history does not have it. */
  readonly salt: Uint8Array | null;
}

/** How many tokens of one part of a history are kept. The phone lists the latest chats first. */
export const MOST_TOKENS = 5_000;
/** An expanded history is never longer, unless it was made to exhaust this process. */
const MOST_BYTES = 2_147_483_648;

/**
 * Reads a compressed `HistorySync` without holding it in memory: its chats and messages are skipped. Rejects if it is
 * malformed or incomplete.
 */
export async function readHistory(
  compressed: AsyncIterable<Uint8Array>,
  now: number,
): Promise<HistoryContent> {
  const tokens = new Map<string, PrivacyToken>();
  let salt: Uint8Array | null = null;
  const stream = fieldStream({
    fields: { [NCT_SALT]: (value) => (salt = bytesOf(value)) },
    messages: {
      [CONVERSATIONS]: () =>
        conversation((token) => {
          if (isTokenUsable(token, now) && tokens.size < MOST_TOKENS) tokens.set(token.jid, token);
        }),
    },
  });
  await pipeline(compressed, createInflate(), (expanded: AsyncIterable<Uint8Array>) =>
    pass(expanded, stream),
  );
  return { tokens: [...tokens.values()], salt };
}

async function pass(chunks: AsyncIterable<Uint8Array>, stream: FieldStream): Promise<void> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Error('The history is longer than any that a phone sends.');
    stream.push(chunk);
  }
  stream.end();
}

/** Fields of `HistorySync`. Baileys' definition lacks the salt; whatsmeow's has it. */
const CONVERSATIONS = 2;
const NCT_SALT = 19;
/** Fields of `Conversation`. */
const ID = 1;
const TC_TOKEN = 21;
const TC_TOKEN_TIMESTAMP = 22;
const TC_TOKEN_SENDER_TIMESTAMP = 28;
const LID_JID = 42;

function conversation(found: (token: PrivacyToken) => void): MessageReader {
  let id = '';
  let lid = '';
  let token: Uint8Array | null = null;
  let givenAt = 0;
  let ours: number | null = null;
  return {
    fields: {
      [ID]: (value) => (id = textOf(value)),
      [LID_JID]: (value) => (lid = textOf(value)),
      [TC_TOKEN]: (value) => (token = bytesOf(value)),
      [TC_TOKEN_TIMESTAMP]: (value) => (givenAt = numberOf(value)),
      [TC_TOKEN_SENDER_TIMESTAMP]: (value) => (ours = numberOf(value)),
    },
    end() {
      const jid = jidNormalizedUser(isLidUser(id) || !isLidUser(lid) ? id : lid);
      if (token && (isLidUser(jid) || isPnUser(jid))) found({ jid, token, givenAt, ours });
    },
  };
}

function bytesOf(value: number | Uint8Array): Uint8Array | null {
  return typeof value === 'number' || value.length === 0 ? null : value;
}

function textOf(value: number | Uint8Array): string {
  return typeof value === 'number' ? '' : new TextDecoder().decode(value);
}

function numberOf(value: number | Uint8Array): number {
  return typeof value === 'number' ? value : 0;
}
