import { getBinaryNodeChild, isLidUser, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { isMe, learnedLid } from '../inbound/contact-report.ts';
import { userOf } from '../inbound/phone-number.ts';
import { namePages } from '../session/session-values.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';
import type { SignalOperations } from '../session/signal-operations.ts';
import { holdStanzas } from '../socket/held-stanzas.ts';
import type { MessageOrder } from '../socket/message-order.ts';
import { forgetHolders, GROUPS_WITH_HOLDERS, withHolders } from './sender-keys.ts';

interface IdentityWatch {
  readonly socket: WASocket;
  readonly order: MessageOrder;
  readonly operations: SignalOperations;
  /** The groups that messages are on their way to. */
  readonly groupsInFlight: ReadonlySet<string>;
  readonly values: SessionValues;
}

/**
 * Forgets the sessions of a person who has installed WhatsApp again, as whatsmeow's `notification.go` does, and that the
 * person's devices have our keys in groups. Otherwise, they could not read the next message. Baileys only starts a new
 * session with the phone, and none if the notification waited for a connection.
 */
export function watchIdentityChanges(watch: IdentityWatch): void {
  const { socket, order } = watch;
  let last: Promise<unknown> = Promise.resolve();
  holdStanzas(socket, 'notification', (stanza) => {
    const from = changedIn(stanza);
    if (from === null || isMe(socket, from)) return null;
    // Messages that the person wrote before can only be read with these sessions.
    const users = order.run(() => forgetSessions(watch, from));
    // One at a time, because many may have waited for the connection.
    const forgotten = Promise.all([users, last]).then(([found]) => forgetInGroups(watch, found));
    last = forgotten.catch(() => undefined);
    // Without our token, only the person's first response may fail.
    void forgotten.then(() => giveTokenAgain(socket, from)).catch(() => undefined);
    return forgotten;
  });
}

/** The person whose identity has changed; null if the stanza is about something else. */
function changedIn({ attrs, content }: BinaryNode): string | null {
  const { from, type } = attrs;
  if (type !== 'encrypt' || !from || !Array.isArray(content)) return null;
  return getBinaryNodeChild({ tag: 'notification', attrs, content }, 'identity') ? from : null;
}

/** Returns the digits of both addresses of the person. */
async function forgetSessions(
  { socket, operations, values }: IdentityWatch,
  from: string,
): Promise<ReadonlySet<string>> {
  const users = await usersOf(socket, from);
  const { keys } = socket.authState;
  await operations.run([...users], async () => {
    const devices = await namesOf(values, users);
    await keys.set({
      session: Object.fromEntries(devices.sessions.map((id) => [id, null])),
      'identity-key': Object.fromEntries(devices.identities.map((id) => [id, null])),
    });
  });
  return users;
}

async function forgetInGroups(
  { socket, values, groupsInFlight }: IdentityWatch,
  users: ReadonlySet<string>,
): Promise<void> {
  const { keys } = socket.authState;
  const isTheirs = (device: string): boolean => users.has(userOf(device) ?? '');
  // A message that is on its way may carry the key to an app that is gone.
  const inFlight = [...groupsInFlight];
  for (const group of new Set([...inFlight, ...(await groupsWith(values, users))]))
    await withHolders(keys, group, () => forgetHolders(keys, group, isTheirs));
}

/** Gives the person our token again if they had it, because the new app does not have it. */
async function giveTokenAgain(socket: WASocket, jid: string): Promise<void> {
  const lid = isLidUser(jid) ? jid : ((await learnedLid(socket, jid)) ?? jid);
  const { [lid]: token } = await socket.authState.keys.get('tctoken', [lid]);
  if (token?.senderTimestamp === undefined) return;
  const number = await socket.signalRepository.lidMapping.getPNForLID(lid);
  const to = socket.serverProps.lidTrustedTokenIssueToLid ? lid : (number ?? lid);
  await socket.issuePrivacyTokens([jidNormalizedUser(to)], token.senderTimestamp);
}

/** The digits of both addresses of a person. */
async function usersOf(socket: WASocket, jid: string): Promise<ReadonlySet<string>> {
  const { lidMapping } = socket.signalRepository;
  const other = isLidUser(jid) ? await lidMapping.getPNForLID(jid) : await learnedLid(socket, jid);
  const users = [jid, other].map((name) => (name ? userOf(name) : null));
  return new Set(users.filter((user) => user !== null));
}

async function namesOf(values: SessionValues, users: ReadonlySet<string>) {
  const found = { sessions: new Array<string>(), identities: new Array<string>() };
  for (const user of users) {
    // Signal's addresses are `user.device`, or `user_domain.device` for hidden ids.
    for (const start of [`${user}.`, `${user}_`]) {
      found.sessions.push(...(await idsOf(values, 'session', start)));
      found.identities.push(...(await idsOf(values, 'identity-key', start)));
    }
  }
  return found;
}

async function idsOf(values: SessionValues, type: string, start: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const names of namePages(values, keyName(type, start)))
    ids.push(...names.map((name) => name.slice(keyName(type, '').length)));
  return ids;
}

/** How many lists are read together: each has all devices of a group. */
const READ_TOGETHER = 20;

/** The groups in which the person may have our key. Only lists that contain the digits are decoded. */
async function groupsWith(values: SessionValues, users: ReadonlySet<string>): Promise<readonly string[]> {
  const groups: string[] = [];
  for await (const names of namePages(values, GROUPS_WITH_HOLDERS)) {
    for (let first = 0; first < names.length; first += READ_TOGETHER) {
      const stored = await values.read(names.slice(first, first + READ_TOGETHER));
      for (const [name, bytes] of stored) {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        if ([...users].some((user) => text.includes(user)))
          groups.push(name.slice(GROUPS_WITH_HOLDERS.length));
      }
    }
  }
  return groups;
}
