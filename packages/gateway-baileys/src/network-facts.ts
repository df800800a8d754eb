import type { Gateway } from '@trunkline/core/spi/gateway';

/** The facts about WhatsApp that every process needs. This module loads nothing of Baileys. */
export const WHATSAPP: Pick<
  Gateway,
  | 'network'
  | 'title'
  | 'linking'
  | 'capabilities'
  | 'actionsWithinMs'
  | 'acceptsProxy'
  | 'sendsAtOnce'
  | 'newMessageId'
> = {
  network: 'whatsapp',
  title: 'WhatsApp',
  linking: ['qr', 'pairing_code'],
  capabilities: [
    'text',
    'image',
    'document',
    'audio',
    'video',
    'locations',
    'contacts',
    'polls',
    'stickers',
    'mentions',
    'groups',
    'reactions',
    'edits',
    'deletions',
    'read_marks',
    'typing',
    'lookup',
    'block',
    'group_admin',
  ],
  // Phones ignore what comes later. Their users have 15 minutes to edit, and two and a half days to delete.
  actionsWithinMs: { edits: 15 * 60_000, deletions: 60 * 60 * 60_000 },
  acceptsProxy: true,
  // At a round trip of 200 ms, the wait for responses would limit fewer to less than a process can encrypt.
  sendsAtOnce: 16,
  newMessageId: (bytes) => `3EB0${Buffer.from(bytes).toString('hex', 0, 9).toUpperCase()}`,
};
