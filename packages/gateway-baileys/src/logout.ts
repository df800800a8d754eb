import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import { S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import { queryErrorOf, statusCodeOf } from './socket/status-code.ts';

/** The network's answer takes less; core waits ten seconds. */
const ANSWER_MS = 8_000;

/**
 * Takes the device off the phone's list, and waits for the network to say so (Baileys' own logout only asks). Rejects
 * when it did not: the phone would go on listing the device.
 */
export async function unlinkDevice(
  { socket, clock }: { readonly socket: WASocket; readonly clock: Clock },
  ended: Promise<unknown>,
): Promise<void> {
  const jid = socket.user?.id;
  if (!jid) return;
  const answer: Promise<unknown> = socket.query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md', id: socket.generateMessageTag() },
    content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
  });
  const removed = withDeadline(clock, { what: "WhatsApp's answer to a logout", ms: ANSWER_MS }, answer);
  await Promise.race([removed, ended.then(checkUnlinked)]).catch((error: unknown) => {
    // Not linked any more: somebody was faster.
    if (queryErrorOf(error) === 401 || statusCodeOf(error) === 401) return;
    throw error;
  });
}

/** The network may end the connection rather than answer: that is an answer too. */
function checkUnlinked(error: unknown): void {
  if (statusCodeOf(error) !== 401) throw new Error('The connection ended before WhatsApp answered.');
}
