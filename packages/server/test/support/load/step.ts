import type { NetworkRecord } from '@trunkline/core/sandbox';
import type { SendInput } from '@trunkline/core';

/**
 * One step of the load on a service that is killed: a message of the instance, or a few messages to it, with actions on
 * the last of them. The name of a step decides all about it, so that the service after a kill, and the test, can tell
 * what it should have become. A name is `<run>-<count>` under light load, `<run>-<place>-<caller>-<count>` under full
 * load, and `@<epoch milliseconds>` behind it if the message is scheduled. It is in the message, too.
 */
export interface Step {
  readonly content: Content;
  readonly deeds: readonly Deed[];
}

export type Content = (typeof CONTENTS)[number];
export const CONTENTS = [
  'text',
  'mention',
  'location',
  'contact',
  'poll',
  'image',
  'sticker',
  'received',
] as const;

export type Deed = (typeof DEEDS)[number];
export const DEEDS = ['reaction', 'removal', 'edit', 'deletion', 'read_mark'] as const;

const STEPS: readonly Step[] = [
  { content: 'text', deeds: ['reaction'] },
  { content: 'received', deeds: ['read_mark'] },
  { content: 'text', deeds: ['edit'] },
  { content: 'mention', deeds: ['reaction', 'removal'] },
  { content: 'text', deeds: ['deletion'] },
  { content: 'location', deeds: ['reaction'] },
  { content: 'contact', deeds: ['deletion'] },
  { content: 'mention', deeds: ['edit'] },
  { content: 'poll', deeds: ['reaction', 'removal'] },
  { content: 'image', deeds: ['edit'] },
  { content: 'sticker', deeds: ['deletion'] },
];
const SCHEDULED: readonly Content[] = ['text', 'mention', 'location', 'image', 'poll'];
const RECIPIENTS = 5;
/** Ends the words of a message that was edited. */
const EDITED = '~edited';
const MENTIONED = '15559990';
const POSITION = { latitude: 1.5, longitude: -2.5, address: null };
const ANSWERS = ['yes', 'no'];
// The first bytes of a format are all that the service looks at.
const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
  0, 0, 0,
]);
const WEBP = new TextEncoder().encode('RIFF....WEBPVP8X................');

/** Every third step is a scheduled message. */
export function isScheduledAt(count: number): boolean {
  return count % 3 === 2;
}

export function stepOf(name: string): Step {
  const { numbers, count, time } = partsOf(name);
  // A caller starts where no other one of its place does, so that all steps occur soon.
  const turn = Math.floor(count / 3) + numbers.slice(1, -1).reduce((sum, number) => sum + number, 0);
  if (time !== null) return { content: at(SCHEDULED, turn), deeds: [] };
  return at(STEPS, turn + Math.ceil(count / 3));
}

/** Every other scheduled message is cancelled. */
export function isCancelled(name: string): boolean {
  const { count, time } = partsOf(name);
  return time !== null && count % 2 === 0;
}

/**
 * No two callers have a recipient in common, and scheduled messages have recipients of their own, so that the counts in
 * the names are the order in each chat.
 */
export function recipientOf(name: string): string {
  const { numbers, count, time } = partsOf(name);
  const [caller = 0] = numbers.slice(2, -1);
  return `15550${time === null ? 1 : 2}${caller}${count % RECIPIENTS}`;
}

/** A number that grows with each step to a recipient. */
export function placeInOrder(name: string): number {
  const { numbers, count } = partsOf(name);
  return 1_000_000 * (numbers[0] ?? 0) + count;
}

/** The message of a step that sends one. */
export function messageOf(name: string, instance: string): SendInput {
  const { time } = partsOf(name);
  const send_at = time === null ? undefined : new Date(time).toISOString();
  const common = { instance, to: recipientOf(name), send_at };
  const { content } = stepOf(name);
  switch (content) {
    case 'text':
      return { ...common, type: 'text', text: name };
    case 'mention':
      return { ...common, type: 'text', text: wordsOf(name) ?? '', mentions: [MENTIONED] };
    case 'location':
      return { ...common, kind: 'location', payload: { ...POSITION, name } };
    case 'contact':
      return { ...common, kind: 'contact', payload: { contacts: [{ name, phone_numbers: [MENTIONED] }] } };
    case 'poll':
      return { ...common, kind: 'poll', payload: { question: name, options: ANSWERS } };
    case 'image':
      return { ...common, type: 'image', file: new Blob([PNG]), caption: name };
    case 'sticker':
      return { ...common, kind: 'sticker', file: new Blob([WEBP]), filename: `${name}.webp` };
    case 'received':
      throw new Error(`The step ${name} sends nothing.`);
  }
}

/** The words of the step's message that an edit can change; null if it has none. */
export function wordsOf(name: string): string | null {
  const { content } = stepOf(name);
  if (content === 'mention') return `${name} @${MENTIONED}`;
  return content === 'text' || content === 'image' ? name : null;
}

/** The words of the step's message after its edit. */
export function editedWordsOf(name: string): string {
  return `${wordsOf(name) ?? ''}${EDITED}`;
}

/** The network's ids of the messages that a step receives from its recipient, one after another; these are their texts, too. */
export function receivedIn(name: string): readonly string[] {
  return [0, 1, 2].map((number) => `${name}.${number}`);
}

/** The step that received the message with this id of the network, or with this text. */
export function receiverOf(networkId: string): string {
  return networkId.replace(/\.\d$/, '');
}

type Sent = Extract<NetworkRecord, { kind: 'accepted' }>;

/** The step of a message that the network accepted. */
export function senderOf({ text, file, detail }: Pick<Sent, 'text' | 'file' | 'detail'>): string {
  switch (detail?.kind) {
    case 'location':
      return detail.payload.name ?? '';
    case 'contact':
      return detail.payload.contacts[0]?.name ?? '';
    case 'poll':
      return detail.payload.question;
    case 'sticker':
      return file?.filename.replace('.webp', '') ?? '';
    default:
      return text.split(/[ ~]/)[0] ?? '';
  }
}

export function isEdited({ text }: Pick<Sent, 'text'>): boolean {
  return text.endsWith(EDITED);
}

/** Whether the network got the whole message of the step. */
export function isWhole(sent: Sent): boolean {
  const name = senderOf(sent);
  const { content } = stepOf(name);
  const { text, detail, file } = sent;
  if (sent.to !== recipientOf(name)) return false;
  switch (content) {
    case 'text':
      return detail === undefined && file === null && hasWordsOf(name, text);
    case 'mention':
      return hasWordsOf(name, text) && sent.mentions?.[0]?.written === MENTIONED;
    case 'location':
      return detail?.kind === content && detail.payload.latitude === POSITION.latitude;
    case 'contact':
      return detail?.kind === content && detail.payload.contacts[0]?.phone_numbers[0] === MENTIONED;
    case 'poll':
      return detail?.kind === content && detail.payload.options.join() === ANSWERS.join();
    case 'image':
      return file?.mimeType === 'image/png' && file.size === PNG.length && hasWordsOf(name, text);
    case 'sticker':
      return detail?.kind === content && file?.size === WEBP.length;
    case 'received':
      return false;
  }
}

function hasWordsOf(name: string, text: string): boolean {
  return text === wordsOf(name) || text === editedWordsOf(name);
}

interface Parts {
  readonly numbers: readonly number[];
  readonly count: number;
  /** Epoch milliseconds; null if the message is not scheduled. */
  readonly time: number | null;
}

function partsOf(name: string): Parts {
  const [path = '', time] = name.split('@');
  const numbers = path.split('-').map(Number);
  return { numbers, count: numbers.at(-1) ?? 0, time: time === undefined ? null : Number(time) };
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T; // the lists are not empty
}
