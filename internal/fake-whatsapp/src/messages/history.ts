import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import type { LinkedAccount } from '../directory/linked-account.ts';

const { INITIAL_BOOTSTRAP, RECENT } = proto.HistorySync.HistorySyncType;

/** The two parts of a phone's history, compressed: `DownloadHistorySync` in whatsmeow's `message.go` reads them. */
export function historyOf({ nctSalt, history }: LinkedAccount): {
  readonly first: Uint8Array;
  readonly rest: Uint8Array;
} {
  const known = history.known.map(({ contact, token, addressing }) => ({
    id: contact.jidIn(contact.hidesNumber ? 'lid' : addressing),
    ...(contact.hidesNumber ? {} : { pnJid: contact.jid }),
    ...(contact.lidJid !== undefined && { lidJid: contact.lidJid }),
    tcToken: token.bytes,
    tcTokenTimestamp: Number(token.t),
    messages: someMessages(),
  }));
  const first = [
    encoded({ syncType: INITIAL_BOOTSTRAP, progress: 100 }),
    ...(nctSalt ? [saltField(nctSalt)] : []),
  ];
  const other = encoded({ conversations: [{ id: '15550000000@s.whatsapp.net', messages: someMessages() }] });
  const rest = [
    encoded({ syncType: RECENT, progress: 100 }),
    ...Array<Uint8Array>(history.otherChats).fill(other),
    encoded({ conversations: known }),
  ];
  return { first: deflateSync(Buffer.concat(first)), rest: deflateSync(Buffer.concat(rest)) };
}

/** Encoded messages that are joined are one message with the fields of all of them. */
function encoded(history: proto.IHistorySync): Uint8Array {
  return proto.HistorySync.encode(history).finish();
}

/** `HistorySync.nctSalt`, field 19, which Baileys' definition lacks. */
function saltField(salt: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x9a, 0x01, salt.length]), salt]);
}

function someMessages(): proto.IHistorySyncMsg[] {
  return Array.from({ length: 5 }, (_, index) => ({
    message: {
      key: { remoteJid: '15550000000@s.whatsapp.net', fromMe: false, id: `3A${index}` },
      message: { conversation: randomBytes(60).toString('base64') },
      messageTimestamp: 1_700_000_000 + index,
    },
  }));
}
