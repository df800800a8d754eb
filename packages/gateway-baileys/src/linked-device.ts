import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock, LinkedProfile } from '@trunkline/core/spi/gateway';
import { S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import { storable } from './inbound/storable-text.ts';
import { userOf } from './inbound/phone-number.ts';
import { queryErrorOf, statusCodeOf } from './socket/status-code.ts';

/** A picture is not worth a longer wait. */
const PICTURE_MS = 3_000;
/** Baileys' name for an account without a known name. */
const NO_NAME = '~';
/** The error codes for a missing and for a hidden picture. */
const NO_PICTURE = new Set([401, 404]);

/** The profile of the account of an open socket. */
export async function linkedProfile(socket: WASocket, clock: Clock): Promise<LinkedProfile> {
  const { id = '', name } = socket.user ?? {};
  const phoneNumber = userOf(id);
  if (phoneNumber === null) throw new Error('WhatsApp did not say which number is linked.');
  const picture = withDeadline(
    clock,
    { what: 'Reading the profile picture', ms: PICTURE_MS },
    socket.profilePictureUrl(id, 'preview'),
  );
  return {
    phoneNumber,
    profileName: name === NO_NAME ? undefined : (storable(name) ?? undefined),
    profilePictureUrl: await picture.then((url) => url ?? null, withoutPicture),
  };
}

/** Null if the picture is missing or hidden; undefined if the network did not say. */
function withoutPicture(error: unknown): null | undefined {
  return NO_PICTURE.has(queryErrorOf(error) ?? statusCodeOf(error) ?? 0) ? null : undefined;
}

/** Less than core waits for a logout (ten seconds). */
const RESPONSE_MS = 8_000;

/**
 * Removes the device from the phone's list. Unlike Baileys' own logout, rejects unless the network confirms the
 * removal, because the phone might still list the device.
 */
export async function unlinkDevice(
  { socket, clock }: { readonly socket: WASocket; readonly clock: Clock },
  ended: Promise<unknown>,
): Promise<void> {
  const jid = socket.user?.id;
  if (!jid) return;
  const response: Promise<unknown> = socket.query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md', id: socket.generateMessageTag() },
    content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
  });
  const removed = withDeadline(clock, { what: "WhatsApp's response to a logout", ms: RESPONSE_MS }, response);
  await Promise.race([removed, ended.then(checkUnlinked)]).catch((error: unknown) => {
    // The device was unlinked in the meantime.
    if (queryErrorOf(error) === 401 || statusCodeOf(error) === 401) return;
    throw error;
  });
}

/** If the network ends the connection with 401 instead of responding, that confirms the removal. */
function checkUnlinked(error: unknown): void {
  if (statusCodeOf(error) !== 401)
    throw new Error('The connection ended before WhatsApp responded to the logout.');
}
