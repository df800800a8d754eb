import type { WebhookEvent } from '@trunkline/receiver';

/** A text that the API accepted, for one chat of a number. */
interface OutText {
  readonly text: string;
  /** A person's number, or a group's JID. */
  readonly chat: string;
  /** The numbers of the people whose phones must show the text. */
  readonly readers: readonly string[];
  readonly acceptedAt: number;
  /** The message's id in the API. */
  readonly id: string;
}

/** A text that a phone wrote to a number. */
export interface InText {
  readonly text: string;
  /** The author's number, and the group's JID, if the text is in a group. */
  readonly chat: string;
  readonly writtenAt: number;
  /** Whether its first copy could not be decrypted, so that it may come after later ones. */
  readonly isDamaged: boolean;
  /** The text after the author's edit, once there was one. */
  edited: string | null;
}

/** A message with a text that a phone could read. */
interface Shown {
  readonly networkId: string;
  /** When the network first accepted a stanza of the message. */
  readonly at: number;
}

interface Reported {
  readonly type: string;
  readonly eventId: string;
  readonly at: number;
}

/** All that was sent to and from one number, and all that was reported of it. */
export interface Ledger {
  /** The texts that the API accepted, in order. */
  readonly out: OutText[];
  /** The texts that people wrote, in order. */
  readonly in: InText[];
  /**
   * When the network first accepted a stanza of each message, by network id. This order counts, because a phone shows an
   * unreadable message as waiting, and puts the copy that it requests in the same place.
   */
  readonly acceptedAt: Map<string, number>;
  /** The messages with each text, one for each network id. */
  readonly shown: Map<string, Shown[]>;
  /** The reports about each message, by the message's id in the API. Repeated webhooks count once. */
  readonly reports: Map<string, Reported[]>;
}

export function createLedger(): Ledger {
  return { out: [], in: [], acceptedAt: new Map(), shown: new Map(), reports: new Map() };
}

/** Notes a stanza that the network has accepted, whether or not a phone could read it. */
export function noteAccepted({ acceptedAt }: Ledger, networkId: string, at: number): void {
  if (!acceptedAt.has(networkId)) acceptedAt.set(networkId, at);
}

/** Notes that a phone can read the message. Returns whether this is the first one with the text. */
export function noteShown({ acceptedAt, shown }: Ledger, text: string, networkId: string): boolean {
  const before = shown.get(text) ?? [];
  if (before.some((other) => other.networkId === networkId)) return false;
  shown.set(text, [...before, { networkId, at: acceptedAt.get(networkId) ?? Infinity }]);
  return before.length === 0;
}

export function noteReport({ reports }: Ledger, event: WebhookEvent, at: number): boolean {
  if (!('message' in event.data)) return false;
  const { id } = event.data.message;
  const before = reports.get(id) ?? [];
  if (before.some(({ eventId }) => eventId === event.id)) return false;
  reports.set(id, [...before, { type: event.type, eventId: event.id, at }]);
  return true;
}

/** A message as the API lists it. */
export interface Listed {
  readonly id: string;
  readonly text: string | null;
  readonly status: string;
  readonly error: unknown;
}

export interface Outcome {
  /** The texts of each person's phone, with repetitions. */
  readonly phones: ReadonlyMap<string, readonly string[]>;
  /** The number's stored messages of either direction, oldest first. */
  readonly outbound: readonly Listed[];
  readonly inbound: readonly Listed[];
}

/** Returns what is wrong, one line each. */
export function problemsOf(ledger: Ledger, outcome: Outcome): readonly string[] {
  return [...problemsOut(ledger, outcome), ...problemsIn(ledger, outcome)];
}

function problemsOut(ledger: Ledger, { phones, outbound }: Outcome): readonly string[] {
  const problems: string[] = [];
  const status = new Map(outbound.map((message) => [message.id, message]));
  for (const { text, id, readers } of ledger.out) {
    const stored = status.get(id);
    if (!stored || !['sent', 'delivered', 'read'].includes(stored.status))
      problems.push(`lost: ${text} is ${stored?.status ?? 'not stored'} ${JSON.stringify(stored?.error)}`);
    for (const reader of readers) {
      const copies = (phones.get(reader) ?? []).filter((shown) => shown === text).length;
      if (copies !== 1)
        problems.push(`${copies === 0 ? 'lost' : 'doubled'}: ${text} at ${reader}, ${copies}`);
    }
    problems.push(...reportProblems(ledger, { id, text }, ['message.sent']));
  }
  const arrived = (text: string): number => ledger.shown.get(text)?.[0]?.at ?? Infinity;
  for (const [chat, texts] of Map.groupBy(ledger.out, (out) => out.chat)) {
    const wanted = texts.map(({ text }) => text);
    const order = wanted.toSorted((one, other) => arrived(one) - arrived(other));
    problems.push(...orderProblems(chat, wanted, order));
  }
  if (outbound.length !== ledger.out.length)
    problems.push(`doubled: ${outbound.length} messages for ${ledger.out.length} accepted ones`);
  return problems;
}

function problemsIn(ledger: Ledger, { inbound }: Outcome): readonly string[] {
  const problems: string[] = [];
  const stored = Map.groupBy(inbound, ({ text }) => text ?? '');
  const finalText = ({ text, edited }: InText): string => edited ?? text;
  for (const text of ledger.in) {
    const found = stored.get(finalText(text)) ?? [];
    const isOld = text.edited !== null && stored.has(text.text);
    if (isOld) problems.push(`lost: the edit of ${text.text}`);
    else if (found.length === 0) problems.push(`lost: ${text.text} is not stored`);
    if (found.length > 1) problems.push(`doubled: ${text.text} is stored ${found.length} times`);
    const due = ['message.received', ...(text.edited === null || isOld ? [] : ['message.edited'])];
    for (const { id } of found) problems.push(...reportProblems(ledger, { id, text: text.text }, due));
  }
  if (inbound.length > ledger.in.length)
    problems.push(`doubled: ${inbound.length} stored messages for ${ledger.in.length} written ones`);
  const place = new Map(inbound.map(({ text }, index) => [text ?? '', index]));
  const readable = ledger.in.filter((text) => !text.isDamaged);
  for (const [chat, texts] of Map.groupBy(readable, (text) => text.chat)) {
    const wanted = texts.map(finalText);
    const order = wanted.toSorted(
      (one, other) => (place.get(one) ?? Infinity) - (place.get(other) ?? Infinity),
    );
    problems.push(...orderProblems(chat, wanted, order));
  }
  return problems;
}

function reportProblems(
  { reports }: Ledger,
  { id, text }: { readonly id: string; readonly text: string },
  due: readonly string[],
): readonly string[] {
  const types = (reports.get(id) ?? []).map(({ type }) => type);
  const missing = due.filter((type) => !types.includes(type));
  const doubled = types.filter((type, index) => types.indexOf(type) !== index);
  return [
    ...missing.map((type) => `lost: ${type} of ${text}`),
    ...doubled.map((type) => `doubled: ${type} of ${text}`),
  ];
}

function orderProblems(chat: string, wanted: readonly string[], order: readonly string[]): readonly string[] {
  const wrong = wanted.findIndex((text, index) => text !== order[index]);
  return wrong < 0 ? [] : [`reordered: ${order[wrong]} before ${wanted[wrong]} in ${chat}`];
}
