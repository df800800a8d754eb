import { createHash } from 'node:crypto';
import { isJidGroup } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { decodeValue } from '../session/json-value.ts';
import { keyName } from '../session/key-name.ts';
import { dayOf } from '../session/lid-pairs.ts';
import type { SessionValues } from '../session/session-values.ts';
import { isMe } from './contact-report.ts';
import { readKind, receivedPoll } from './message-kinds.ts';
import { namesOfAuthor, secretIn } from './message-secrets.ts';
import type { MessageSecrets } from './message-secrets.ts';
import { networkIdOf } from './network-id.ts';
import { selectionIn, withAnswers } from './opened-vote.ts';
import { nameForKeys, openSecretEnvelope } from './secret-envelope.ts';
import type { Me } from './stanza-message.ts';
import { unwrapMessage } from './unwrap-message.ts';

const TYPE = 'poll';
export const POLLS: string = keyName(TYPE, '');
/** How long votes in a poll can be read. WhatsApp's polls do not end; a session that keeps them all would grow for ever. */
const KEPT_DAYS = 90;

/** A poll, which its author's name and id identify. */
interface StoredPoll {
  readonly secret: Uint8Array;
  /** The author's names, as apps derive keys from them; none for a poll of the number itself. */
  readonly authors: readonly string[];
  /** The answers by their SHA-256 in hexadecimal digits, which votes contain. */
  readonly answers: Readonly<Record<string, string>>;
  /** When the poll was sent, in epoch milliseconds. */
  readonly at: number;
}

/** Changes to values of our own type, in the form of Signal keys. */
type PollChanges = Readonly<Record<string, Readonly<Record<string, StoredPoll>>>>;

/** The changes to write together with the keys that a sent poll was encrypted with; none for any other message. */
export function sentPoll(networkId: string, content: proto.IMessage, now: number): PollChanges {
  const poll = pollOf(content, { authors: [], at: now });
  return poll ? { [TYPE]: { [idOf(networkId, OWN)]: poll } } : {};
}

/** The name of the stored poll that the number has sent under this id. */
export function sentPollName(networkId: string): string {
  return keyName(TYPE, idOf(networkId, OWN));
}

/** The id of the poll that the number has sent and that is stored under this name; null for any other name. */
export function sentPollIdIn(name: string): string | null {
  const end = `/${OWN}`;
  return name.startsWith(POLLS) && name.endsWith(end) ? name.slice(POLLS.length, -end.length) : null;
}

/** In place of the author's name if the number is the author, however it is named. */
const OWN = 'own';

/** The polls of recent months, sent or received, with whose secrets people encrypt their votes. */
export function pollSecrets({
  values,
  unopened,
}: {
  readonly values: Pick<SessionValues, 'read'>;
  /** Called if a vote in a known poll could not be opened. */
  readonly unopened: () => void;
}): MessageSecrets {
  return {
    keep(messages, me) {
      const polls: Record<string, StoredPoll> = {};
      for (const { origin, message } of messages) {
        const { id, t } = origin.attrs;
        const authors = namesOfAuthor(origin, me);
        const [author] = authors;
        const isOwn = isMe({ user: me }, author);
        const poll = pollOf(message, { authors: isOwn ? [] : authors, at: Number(t) * 1_000 });
        if (!id || !poll) continue;
        // A vote may name the author by any of these names.
        for (const name of isOwn ? [OWN] : authors) polls[idOf(id, name)] = poll;
      }
      return Object.keys(polls).length > 0 ? { [TYPE]: polls } : {};
    },
    async open(origin, message, me) {
      const update = unwrapMessage(message)?.message.pollUpdateMessage;
      const { pollCreationMessageKey: target, vote } = update ?? {};
      if (!update || !target?.id || !vote?.encIv?.length || !vote.encPayload?.length) return message;
      const { encIv: iv, encPayload: payload } = vote;
      const senders = namesOfAuthor(origin, me);
      const polls = await find(values, target.id, [OWN, ...senders, ...namesIn(target)]);
      for (const { secret, authors, answers } of polls) {
        const names = authors.length > 0 ? authors : namesOfMe(me);
        const opened = openSecretEnvelope(
          { purpose: 'Poll Vote', secret, messageId: target.id, iv, payload },
          { authors: names, senders },
        );
        const chosen =
          opened && selectionIn(opened)?.map((digest) => answers[Buffer.from(digest).toString('hex')]);
        if (chosen?.every((answer) => answer !== undefined))
          return { pollUpdateMessage: withAnswers(update, chosen) };
      }
      if (polls.length > 0) unopened();
      return message;
    },
  };
}

async function find(
  values: Pick<SessionValues, 'read'>,
  id: string,
  authors: readonly string[],
): Promise<readonly StoredPoll[]> {
  const names = new Set(authors.map((author) => keyName(TYPE, idOf(id, author))));
  return [...(await values.read([...names])).values()].map((bytes) => decodeValue<StoredPoll>(bytes));
}

/** The names by which the key of a poll may name its author. */
function namesIn({ participant, remoteJid }: proto.IMessageKey): readonly string[] {
  const chat = remoteJid && !isJidGroup(remoteJid) ? remoteJid : null;
  return [participant, chat].flatMap((jid) => (jid ? [nameForKeys(jid)] : []));
}

function namesOfMe({ id, lid }: Me): readonly string[] {
  return [lid, id].flatMap((jid) => (jid ? [nameForKeys(jid)] : []));
}

/** Null if the message is not a poll with a secret. */
function pollOf(
  content: proto.IMessage,
  { authors, at }: Pick<StoredPoll, 'authors' | 'at'>,
): StoredPoll | null {
  const secret = secretIn(content);
  const message = unwrapMessage(content.deviceSentMessage?.message ?? content)?.message;
  const kind = message && readKind(message)?.detail;
  if (!secret || !message || kind?.kind !== 'poll' || !Number.isFinite(at)) return null;
  const written = receivedPoll(message)?.options ?? [];
  const answers = kind.payload.options.map((text, index) => [
    createHash('sha256')
      .update(written[index]?.optionName ?? '')
      .digest('hex'),
    text,
  ]);
  return { secret, authors, answers: Object.fromEntries(answers), at };
}

function idOf(networkId: string, author: string): string {
  return `${networkIdOf(networkId)}/${author}`;
}

/** Whether the stored poll is too old for votes to be read. */
export function isPollExpired(bytes: Uint8Array, today: number): boolean {
  return today - dayOf(decodeValue<StoredPoll>(bytes).at) > KEPT_DAYS;
}
