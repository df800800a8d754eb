import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock, LinkedProfile } from '@trunkline/core/spi/gateway';
import type { WASocket } from '@whiskeysockets/baileys';
import { storable } from './inbound/message-content.ts';
import { userOf } from './inbound/phone-number.ts';

/** A picture is not worth a longer wait. */
const PICTURE_MS = 3_000;
/** What Baileys calls an account whose name it does not know. */
const NO_NAME = '~';

/** Whom a socket that is open belongs to. */
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
    profileName: name === NO_NAME ? null : storable(name),
    profilePictureUrl: (await picture.catch(() => null)) ?? null,
  };
}
