import type { MessageKindAndPayload, MessageLocation, SharedContact } from '@trunkline/receiver';

/** A text for a message whose kind has none, for apps and people who read only texts; empty for the other kinds. */
export function kindText(detail: MessageKindAndPayload): string {
  switch (detail.kind) {
    case 'location':
      return `Location: ${placeText(detail.payload)}`;
    case 'live_location':
      return `Live location: ${placeText(detail.payload)}`;
    case 'contact':
      return contactsText(detail.payload.contacts);
    case 'button_reply':
    case 'list_reply':
      return detail.payload.title || detail.payload.id;
    case 'form_reply':
      return detail.payload.name;
    case 'interactive':
      return detail.payload.buttons.map(({ title }) => title).join(', ');
    case 'poll':
      return `Poll: ${detail.payload.question} (${detail.payload.options.join(', ')})`;
    case 'order':
      return orderText(detail.payload);
    case 'event':
      return `Event: ${[detail.payload.name, detail.payload.starts_at].filter(Boolean).join(', ')}`;
    case 'text':
    case 'image':
    case 'document':
    case 'video':
    case 'audio':
    case 'sticker':
    case 'voice':
    case 'video_note':
      return '';
  }
}

function placeText({ latitude, longitude, name, address }: MessageLocation): string {
  const coordinates = `${degrees(latitude)},${degrees(longitude)}`;
  return [name ?? address, coordinates].filter(Boolean).join(', ');
}

/**
 * Writes enough decimals to locate a door, and no exponent, which JavaScript uses for small numbers. `Intl` would
 * write the same, but its first use costs a process 6 MB.
 */
function degrees(value: number): string {
  const digits = value.toFixed(6).replace(/0{1,4}$/, '');
  return digits === '-0.00' ? '0.00' : digits;
}

function contactsText(contacts: readonly SharedContact[]): string {
  const [first, ...others] = contacts;
  if (first && others.length === 0) {
    return `Contact: ${[first.name, ...first.phone_numbers].filter(Boolean).join(', ')}`;
  }
  return `Contacts: ${contacts.map(({ name }) => name).join(', ')}`;
}

type Order = Extract<MessageKindAndPayload, { kind: 'order' }>['payload'];

function orderText({ item_count: count, total, currency }: Order): string {
  const items = count === null ? [] : [`${count} ${count === 1 ? 'item' : 'items'}`];
  const price = total === null ? [] : [[(total / 1000).toFixed(2), currency].filter(Boolean).join(' ')];
  return ['Order', [...items, ...price].join(', ')].filter(Boolean).join(': ');
}
