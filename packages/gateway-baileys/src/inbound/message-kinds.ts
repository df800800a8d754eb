import { kindText, numbersOnCard } from '@trunkline/core/spi/gateway';
import type { MessageKindAndPayload } from '@trunkline/core/spi/gateway';
import { toNumber } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import type { InteractiveMessage } from './interactive-message.ts';
import { storable, storableJson, storableLine } from './storable-text.ts';

/** The kind of a message without a file, and its description in words. */
export interface KindOfText {
  readonly text: string;
  readonly detail?: MessageKindAndPayload;
}

/** More items than WhatsApp lets people choose or send; further items are left out. */
const MOST_ITEMS = 300;
const LONGEST_CARD = 65_536;
const LONGEST_NUMBER = 100;
/** The maximum length of a form's answers. */
const LONGEST_FORM = 65_536;

/** The kind of a message without a file; null if this API does not report such messages. */
export function readKind(message: proto.IMessage): KindOfText | null {
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = message;
  const { eventMessage, orderMessage, productMessage, groupInviteMessage } = message;
  if (locationMessage) return place(locationMessage.isLive ? 'live_location' : 'location', locationMessage);
  if (liveLocationMessage) return place('live_location', liveLocationMessage);
  if (contactMessage) return contacts([contactMessage]);
  if (contactsArrayMessage) return contacts(contactsArrayMessage.contacts ?? []);
  if (eventMessage) return event(eventMessage);
  if (orderMessage) return order(orderMessage);
  if (productMessage) return named('Product', productMessage.product?.title, productMessage.body);
  if (groupInviteMessage)
    return named('Invitation to a group', groupInviteMessage.groupName, groupInviteMessage.caption);
  return readReply(message) ?? readPoll(message);
}

function inWords(detail: MessageKindAndPayload, text: string | null = null): KindOfText {
  return { text: text ?? (storable(kindText(detail)) || 'Message'), detail };
}

/** Describes a kind of message that this API reports only as text. */
function named(what: string, name: string | null | undefined, more: string | null | undefined): KindOfText {
  const title = storableLine(name);
  const text = storable(more);
  return { text: [title === null ? what : `${what}: ${title}`, text].filter(Boolean).join('\n') };
}

type Place = Pick<
  proto.Message.ILocationMessage,
  'degreesLatitude' | 'degreesLongitude' | 'name' | 'address'
>;

function place(kind: 'location' | 'live_location', message: Place): KindOfText {
  const latitude = message.degreesLatitude ?? 0;
  const longitude = message.degreesLongitude ?? 0;
  const name = storableLine(message.name);
  const address = storableLine(message.address);
  // The coordinates are out of range, or NaN, which JSON cannot represent.
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180))
    return named('Location', name ?? address, null);
  return inWords({ kind, payload: { latitude, longitude, name, address } });
}

function contacts(cards: readonly proto.Message.IContactMessage[]): KindOfText {
  const shared = cards.slice(0, MOST_ITEMS).map(({ displayName, vcard }) => {
    const card = storableLine(vcard, LONGEST_CARD) ?? '';
    return { name: storableLine(displayName) ?? '', phone_numbers: numbersIn(card), vcard: card };
  });
  return inWords({ kind: 'contact', payload: { contacts: shared } });
}

function numbersIn(card: string): readonly string[] {
  return numbersOnCard(card).flatMap((number) => storableLine(number, LONGEST_NUMBER) ?? []);
}

function event({ name, description, startTime }: proto.Message.IEventMessage): KindOfText {
  const startsAt = startTime ? momentOf(toNumber(startTime) * 1000) : null;
  const payload = {
    name: storableLine(name) ?? '',
    description: storable(description),
    starts_at: startsAt === null ? null : new Date(startsAt).toISOString().replace('Z', '+00:00'),
  };
  return inWords({ kind: 'event', payload });
}

/** Whole epoch milliseconds from 1970 to 9999, which every database accepts; null for any other time. */
export function momentOf(milliseconds: number): number | null {
  const [first, last] = [0, Date.UTC(9999, 11, 31)];
  return milliseconds > first && milliseconds < last ? Math.floor(milliseconds) : null;
}

function order(message: proto.Message.IOrderMessage): KindOfText {
  const payload = {
    id: storableLine(message.orderId) ?? '',
    item_count: countOf(message.itemCount),
    total: countOf(message.totalAmount1000),
    currency: storableLine(message.totalCurrencyCode, 10),
  };
  const words = inWords({ kind: 'order', payload });
  return { ...words, text: [words.text, storable(message.message)].filter(Boolean).join('\n') };
}

/** Returns null if the value is absent, negative or not a safe integer. */
export function countOf(value: Parameters<typeof toNumber>[0]): number | null {
  if (value === null || value === undefined) return null;
  const count = toNumber(value);
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function readReply(message: proto.IMessage): KindOfText | null {
  const {
    buttonsResponseMessage,
    templateButtonReplyMessage,
    listResponseMessage,
    interactiveResponseMessage,
  } = message;
  const button = buttonsResponseMessage
    ? { id: buttonsResponseMessage.selectedButtonId, title: buttonsResponseMessage.selectedDisplayText }
    : templateButtonReplyMessage && {
        id: templateButtonReplyMessage.selectedId,
        title: templateButtonReplyMessage.selectedDisplayText,
      };
  if (button) return inWords({ kind: 'button_reply', payload: choice(button) });
  if (listResponseMessage) {
    const { title, description, singleSelectReply } = listResponseMessage;
    const chosen = choice({ id: singleSelectReply?.selectedRowId, title });
    const payload = { ...chosen, description: storableLine(description) };
    return inWords({ kind: 'list_reply', payload });
  }
  return interactiveResponseMessage ? formReply(interactiveResponseMessage) : null;
}

interface Choice {
  readonly id: string | null | undefined;
  readonly title: string | null | undefined;
}

function choice({ id, title }: Choice): { readonly id: string; readonly title: string } {
  return { id: storableLine(id) ?? '', title: storableLine(title) ?? '' };
}

/** The reply to a form, or to the buttons of newer messages, which use the same type of reply. */
function formReply({
  body,
  nativeFlowResponseMessage: form,
}: proto.Message.IInteractiveResponseMessage): KindOfText {
  const text = storable(body?.text);
  const sent = form?.paramsJson ?? '';
  const values = sent.length <= LONGEST_FORM ? storableJson(sent) : null;
  const payload = { name: storableLine(form?.name) ?? '', values };
  return inWords({ kind: 'form_reply', payload }, text);
}

export function receivedPoll({
  pollCreationMessage,
  pollCreationMessageV2,
  pollCreationMessageV3,
  pollCreationMessageV5,
}: proto.IMessage): proto.Message.IPollCreationMessage | null {
  return (
    pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3 ?? pollCreationMessageV5 ?? null
  );
}

function readPoll(message: proto.IMessage): KindOfText | null {
  const poll = receivedPoll(message);
  if (!poll) return null;
  const options = (poll.options ?? []).slice(0, MOST_ITEMS);
  const payload = {
    question: storableLine(poll.name) ?? '',
    options: options.map(({ optionName }) => storableLine(optionName) ?? ''),
    multiple: poll.selectableOptionsCount !== 1, // 0 stands for all of them
  };
  return inWords({ kind: 'poll', payload });
}

/** The kind of a message with buttons, a list or a form, and its text. */
export function interactiveKind({ text, buttons }: InteractiveMessage): KindOfText {
  const payload = { buttons: buttons.slice(0, MOST_ITEMS).map(choice) };
  return inWords({ kind: 'interactive', payload }, storable(text));
}
