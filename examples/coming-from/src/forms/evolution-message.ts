import type { WebhookMedia, WebhookMessage } from '@trunkline/receiver';

/** The content of a message in Evolution's form, with WhatsApp's own names. */
export function evolutionMessage(
  message: WebhookMessage,
  mediaUrlOf: (messageId: string) => string,
): { readonly messageType: string; readonly message: object } {
  const { media } = message;
  if (media !== null) {
    const messageType = fileType(message);
    const mediaUrl = media.available ? { mediaUrl: mediaUrlOf(message.id) } : {};
    return { messageType, message: { [messageType]: fileOf(message, media), ...mediaUrl } };
  }
  const structured = structuredOf(message);
  return structured === null
    ? { messageType: 'conversation', message: { conversation: message.text ?? '' } }
    : { messageType: structured[0], message: { [structured[0]]: structured[1] } };
}

function fileType({ kind, type }: WebhookMessage): string {
  if (kind === 'sticker') return 'stickerMessage';
  if (kind === 'video_note') return 'ptvMessage';
  return `${type}Message`;
}

function fileOf(message: WebhookMessage, media: WebhookMedia): object {
  const { kind, payload, caption } = message;
  return {
    mimetype: media.mime_type,
    ...(media.size === null ? {} : { fileLength: String(media.size) }),
    ...(caption === null ? {} : { caption }),
    ...(message.type === 'document' ? { fileName: media.filename } : {}),
    ...(message.type === 'audio' ? { ptt: kind === 'voice' } : {}),
    ...(payload !== null && 'seconds' in payload ? { seconds: payload.seconds } : {}),
  };
}

/** The content of a location, a contact, a poll or a reply; null for any other message, which is sent as text. */
function structuredOf({ kind, payload }: WebhookMessage): readonly [type: string, content: object] | null {
  if (payload === null) return null;
  if ('latitude' in payload) {
    const { latitude: degreesLatitude, longitude: degreesLongitude, name, address } = payload;
    const type = kind === 'live_location' ? 'liveLocationMessage' : 'locationMessage';
    return [type, { degreesLatitude, degreesLongitude, name, address }];
  }
  if ('contacts' in payload) {
    const cards = payload.contacts.map(({ name: displayName, vcard }) => ({ displayName, vcard }));
    const [only] = cards;
    return only !== undefined && cards.length === 1
      ? ['contactMessage', only]
      : ['contactsArrayMessage', { contacts: cards }];
  }
  if ('question' in payload) {
    const options = payload.options.map((optionName) => ({ optionName }));
    return ['pollCreationMessage', { name: payload.question, options }];
  }
  if (kind === 'button_reply' && 'title' in payload)
    return ['buttonsResponseMessage', { selectedButtonId: payload.id, selectedDisplayText: payload.title }];
  if (kind === 'list_reply' && 'title' in payload)
    return [
      'listResponseMessage',
      { title: payload.title, singleSelectReply: { selectedRowId: payload.id } },
    ];
  return null;
}
