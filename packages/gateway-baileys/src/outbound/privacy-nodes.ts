import type { Clock } from '@trunkline/core/spi/gateway';
import { isLidUser } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { HistoryReader } from '../history/read-history.ts';
import { isMe, learnedLid } from '../inbound/contact-report.ts';
import { contactToken, findToken } from '../session/privacy-tokens.ts';
import type { SessionValues } from '../session/session-values.ts';
import type { Addresses } from './recipients.ts';

interface Tokens {
  readonly socket: WASocket;
  readonly values: Pick<SessionValues, 'read' | 'save'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly history: Pick<HistoryReader, 'settled'>;
}

/**
 * The children of a message by which WhatsApp recognises that the account knows the person, as in whatsmeow's
 * `send.go`: none if the person has given a token, which Baileys itself adds. A message waits for a token that may be in
 * the history of a phone that was just linked.
 */
export async function tokenNodes(
  { socket, values, clock, history }: Tokens,
  { jid, other }: Addresses,
): Promise<readonly BinaryNode[]> {
  if (isMe(socket, jid)) return [];
  const [number = null] = [jid, other].filter((name) => name !== null && !isLidUser(name));
  const [named] = [jid, other].filter((name) => name !== null && isLidUser(name));
  const lid = named ?? (number && (await learnedLid(socket, number))) ?? null;
  const hasToken = (): Promise<boolean> => findToken(values, { lid, number }, clock.now());
  if (await hasToken()) return [];
  await history.settled();
  if (await hasToken()) return [];
  const token = await contactToken(values, lid);
  return token ? [{ tag: 'cstoken', attrs: {}, content: token }] : [];
}
