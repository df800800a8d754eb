import type { OutgoingDetail } from '@trunkline/core/spi/gateway';
import { normalizeMessageContent } from '@whiskeysockets/baileys';
import type { AnyMessageContent, BinaryNode, proto } from '@whiskeysockets/baileys';

/** The content of a kind without a file. */
export function kindContent(
  detail: Exclude<OutgoingDetail, { readonly kind: 'sticker' }>,
): AnyMessageContent {
  switch (detail.kind) {
    case 'location': {
      const { latitude, longitude, name, address } = detail.payload;
      return { location: { degreesLatitude: latitude, degreesLongitude: longitude, name, address } };
    }
    case 'contact': {
      const contacts = detail.payload.contacts.map(({ name, vcard }) => ({ displayName: name, vcard }));
      const [first, ...others] = contacts;
      return {
        contacts: {
          displayName: others.length === 0 ? (first?.displayName ?? '') : `${contacts.length} contacts`,
          contacts,
        },
      };
    }
    case 'poll': {
      const { question, options, multiple } = detail.payload;
      return { poll: { name: question, values: [...options], selectableCount: multiple ? 0 : 1 } };
    }
  }
}

export function pollIn(content: proto.IMessage): proto.Message.IPollCreationMessage | null {
  const { pollCreationMessage, pollCreationMessageV3 } = normalizeMessageContent(content) ?? {};
  return pollCreationMessage ?? pollCreationMessageV3 ?? null;
}

/** The children by which stanzas name the kind of their message, as whatsmeow's `getMessageContent` adds them. */
export function kindNodes(content: proto.IMessage): readonly BinaryNode[] {
  return pollIn(content) ? [{ tag: 'meta', attrs: { polltype: 'creation' } }] : [];
}
