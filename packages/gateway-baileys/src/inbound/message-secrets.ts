import { isJidGroup, proto } from '@whiskeysockets/baileys';
import { decodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';
import { isMe } from './contact-report.ts';
import { networkIdOf } from './network-id.ts';
import { nameForKeys, openSecretEnvelope } from './secret-envelope.ts';
import type { Me, StanzaOrigin } from './stanza-message.ts';
import { unwrapMessage } from './unwrap-message.ts';

const TYPE = 'message-secret';
export const MESSAGE_SECRETS: string = keyName(TYPE, '');
/**
 * How long an edit of a message may be sent: apps allow 15 minutes, whatsmeow (`send.go`) assumes 20. Counted by the
 * network's times, so that an edit that waited for a connection can still be opened.
 */
const KEPT_SECONDS = 3_600;
/** Limits the secrets of an instance, because strangers can send any number of messages. */
const MOST = 2_000;
const SECRET_BYTES = 32;

/** The secrets that this process has stored and not erased, by name, with their times in seconds, oldest first. */
export type KeptSecrets = Map<string, number>;

interface MessageSecret {
  readonly secret: Uint8Array;
  /** The author's names, as apps derive keys from them. */
  readonly authors: readonly string[];
  /** When the message was sent, in seconds since the epoch. */
  readonly at: number;
}

/** Changes to values of our own types, in the form of Signal keys. */
type SecretChanges = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Received {
  readonly origin: StanzaOrigin;
  readonly message: proto.IMessage;
}

/** The secrets of messages, with which apps encrypt what they send about them later. */
export interface MessageSecrets {
  /** Returns the changes that store the secrets of messages and erase old ones; empty if no message has a secret. */
  keep(messages: readonly Received[], me: Me): SecretChanges;
  /**
   * Returns the content of an encrypted message, or any other message unchanged. One that cannot be opened is returned
   * unchanged, too.
   */
  open(origin: StanzaOrigin, message: proto.IMessage, me: Me): Promise<proto.IMessage>;
}

export interface SecretsParts {
  readonly values: Pick<SessionValues, 'read'>;
  readonly kept: KeptSecrets;
  /** Called with the reason why an edit could not be opened. */
  readonly unopened: (reason: string) => void;
}

/** The secrets of recent messages, with which the apps of their authors encrypt later edits. */
export function messageSecrets({ values, kept, unopened }: SecretsParts): MessageSecrets {
  const find = async (id: string, authors: readonly string[]): Promise<MessageSecret | null> => {
    const names = authors.map((author) => keyName(TYPE, idOf(id, author)));
    const [bytes] = (await values.read(names)).values();
    return bytes ? decodeValue<MessageSecret>(bytes) : null;
  };

  /** Returns the reason if the edit cannot be opened. */
  const openEdit = async (
    origin: StanzaOrigin,
    sealed: proto.Message.ISecretEncryptedMessage,
    me: Me,
  ): Promise<proto.IMessage | string> => {
    const { targetMessageKey: target, encIv: iv, encPayload: payload } = sealed;
    if (!target?.id || !iv?.length || !payload?.length) return 'the edit is incomplete';
    const senders = namesOfAuthor(origin, me);
    const found = await find(target.id, senders);
    if (!found) return 'the secret of the message is not known, or no longer';
    const envelope = {
      purpose: 'Message Edit',
      secret: found.secret,
      messageId: target.id,
      iv,
      payload,
    } as const;
    const authors = [...new Set([...found.authors, ...senders])];
    const opened = openSecretEnvelope(envelope, { authors, senders });
    if (!opened) return 'the secret of the message does not fit';
    return decoded(opened) ?? 'the content is not a message';
  };

  return {
    keep(messages, me) {
      const changes: Record<string, MessageSecret | null> = {};
      for (const { origin, message } of messages) {
        const { id } = origin.attrs;
        const secret = secretIn(message);
        const at = Number(origin.attrs['t']);
        const authors = namesOfAuthor(origin, me);
        const [author] = authors;
        if (!id || !secret || !Number.isFinite(at) || author === undefined) continue;
        for (const old of outdated(kept, at)) {
          kept.delete(old);
          changes[old] = null;
        }
        const name = idOf(id, author);
        kept.delete(name);
        kept.set(name, at);
        changes[name] = { secret, authors, at };
      }
      return Object.keys(changes).length > 0 ? { [TYPE]: changes } : {};
    },
    async open(origin, message, me) {
      const sealed = unwrapMessage(message)?.message.secretEncryptedMessage;
      // The other types are changes of events and polls, which this API does not have.
      if (sealed?.secretEncType !== MESSAGE_EDIT) return message;
      const opened = await openEdit(origin, sealed, me);
      if (typeof opened !== 'string') return opened;
      unopened(opened);
      return message;
    },
  };
}

const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** The names of the secrets to erase when one of this time is added. */
function outdated(kept: KeptSecrets, at: number): readonly string[] {
  const names: string[] = [];
  for (const [name, since] of kept) {
    if (at - since <= KEPT_SECONDS && kept.size - names.length < MOST) break;
    names.push(name);
  }
  return names;
}

function idOf(networkId: string, author: string): string {
  return `${networkIdOf(networkId)}/${author}`;
}

/** The author's names in a stanza, the one that it uses itself first. */
export function namesOfAuthor({ attrs }: Pick<StanzaOrigin, 'attrs'>, me: Me): readonly string[] {
  const said = isJidGroup(attrs['from'])
    ? [attrs['participant'], attrs['participant_lid'], attrs['participant_pn']]
    : [attrs['participant'] ?? attrs['from'], attrs['sender_lid'], attrs['sender_pn']];
  const own = isMe({ user: me }, said[0]) ? [me.lid, me.id] : [];
  const names = [...said, ...own].flatMap((jid) => (jid ? [nameForKeys(jid)] : []));
  return [...new Set(names)];
}

/** The outer message has the secret if the message is this device's copy of one that the owner wrote elsewhere. */
export function secretIn({ messageContextInfo, deviceSentMessage }: proto.IMessage): Uint8Array | null {
  const secret =
    deviceSentMessage?.message?.messageContextInfo?.messageSecret ?? messageContextInfo?.messageSecret;
  return secret?.length === SECRET_BYTES ? secret : null;
}

function decoded(bytes: Uint8Array): proto.IMessage | null {
  try {
    return proto.Message.decode(bytes);
  } catch {
    return null;
  }
}

const DAY_SECONDS = 86_400;
/** Longer than a device may be offline before WhatsApp unlinks it. */
const KEPT_DAYS = 15;

/** Whether the stored secret was left by an earlier process, and is too old for any edit. */
export function isSecretExpired(bytes: Uint8Array, today: number): boolean {
  const { at } = decodeValue<MessageSecret>(bytes);
  return today - Math.floor(at / DAY_SECONDS) > KEPT_DAYS;
}
