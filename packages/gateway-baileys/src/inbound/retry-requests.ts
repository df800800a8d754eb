import {
  KEY_BUNDLE_TYPE,
  encodeBigEndian,
  encodeSignedDeviceIdentity,
  getNextPreKeys,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import QuickLRU from 'quick-lru';
import type { Pauses } from '../socket/socket-life.ts';
import type { Arrivals } from './arrivals.ts';
import { identityOf } from './message-identity.ts';
import { childrenOf, messageOf, originOf } from './stanza-message.ts';

/** A message is not asked for any more when it could not be read so often. */
const MOST_FAILURES = 5;
/** How long the sender's phone has to send the message again before the phone of the number is asked for it, too. */
const PHONE_AFTER_MS = 3_000;

/** How often messages could not be read, by identity. */
export type ReadFailures = QuickLRU<string, number>;

export function readFailures(): ReadFailures {
  return new QuickLRU({ maxSize: 1_000 });
}

interface Asking {
  readonly socket: WASocket;
  readonly arrivals: Pick<Arrivals, 'onFailure' | 'unreadable'>;
  readonly failures: ReadFailures;
  /** Waits that end with the connection. */
  readonly pauses: Pauses;
  readonly logger: ILogger;
}

/**
 * Asks the sender's phone again for messages that could not be read, as whatsmeow's `sendRetryReceipt` (`retry.go`)
 * does. Baileys would do it while it holds back all other messages, and while it waits for the lock of all sends. Asks
 * for those that earlier connections left once more, because a connection that ends may not have written its request.
 */
export function askAgain({ socket, arrivals, failures, pauses, logger }: Asking): void {
  const watch = (asking: Promise<unknown>): void =>
    void asking.catch((error: unknown) =>
      logger.warn({ error }, 'a message that could not be read could not be asked for'),
    );
  arrivals.onFailure((stanza) => {
    const { me } = socket.authState.creds;
    if (!me) return;
    const { key } = messageOf(originOf(stanza), me);
    const identity = identityOf(key);
    const count = (failures.get(identity) ?? countIn(stanza)) + 1;
    failures.set(identity, count);
    if (count >= MOST_FAILURES) return;

    const askPhone = async (): Promise<void> => {
      await pauses.pause(PHONE_AFTER_MS);
      if (!pauses.isOver() && arrivals.unreadable.has(identity)) await socket.requestPlaceholderResend(key);
    };
    watch(sendRequest(socket, stanza.attrs, count));
    if (count === 1) watch(askPhone());
  });
  socket.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'open') return;
    for (const [identity, { attrs }] of arrivals.unreadable.left) {
      // No failure has come since, so this request does not count.
      const count = Math.max(2, failures.get(identity) ?? 0);
      const isDue = count < MOST_FAILURES && arrivals.unreadable.has(identity);
      if (isDue) watch(sendRequest(socket, attrs, count));
    }
  });
}

/** How often the message was asked for before, which the sender repeats, in case this process did not do it. */
function countIn(stanza: BinaryNode): number {
  const [child, ...others] = childrenOf(stanza);
  return child?.tag === 'enc' && others.length === 0 ? Number(child.attrs['count']) || 0 : 0;
}

async function sendRequest(socket: WASocket, attrs: BinaryNode['attrs'], count: number): Promise<void> {
  const { creds } = socket.authState;
  const { id = '', from = '', recipient, participant, t } = attrs;
  // The first request must not wait for anything. Later ones bring keys for a new session.
  const keys = count === 1 ? [] : [await newKeys(socket)];
  await socket.sendNode({
    tag: 'receipt',
    attrs: {
      id,
      to: from,
      type: 'retry',
      ...(recipient !== undefined && { recipient }),
      ...(participant !== undefined && { participant }),
    },
    content: [
      { tag: 'retry', attrs: { count: String(count), id, v: '1', ...(t !== undefined && { t }) } },
      { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
      ...keys,
    ],
  });
}

async function newKeys({ authState, ev }: WASocket): Promise<BinaryNode> {
  const { creds, keys } = authState;
  // The transaction in which Baileys uploads keys, so that no key gets two uses.
  return keys.transaction(async () => {
    const { update, preKeys } = await getNextPreKeys(authState, 1);
    ev.emit('creds.update', update);
    const [made] = Object.entries(preKeys);
    return {
      tag: 'keys',
      attrs: {},
      content: [
        { tag: 'type', attrs: {}, content: Buffer.from(KEY_BUNDLE_TYPE) },
        { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
        ...(made ? [xmppPreKey(made[1], Number(made[0]))] : []),
        xmppSignedPreKey(creds.signedPreKey),
        ...(creds.account
          ? [
              {
                tag: 'device-identity',
                attrs: {},
                content: encodeSignedDeviceIdentity(creds.account, true),
              },
            ]
          : []),
      ],
    };
  }, creds.me?.id ?? '');
}
