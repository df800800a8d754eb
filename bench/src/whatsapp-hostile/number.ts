import { setTimeout as pause } from 'node:timers/promises';
import type { Account, Group, Person, RemoteFakeWhatsApp, SentMessage } from '@trunkline/fake-whatsapp';
import { unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { readEvent } from '@trunkline/receiver';
import { linkNumber, until } from '../whatsapp-numbers.ts';
import { createLedger, noteAccepted, noteReport, noteShown } from './ledger.ts';
import type { InText, Ledger, Listed, Outcome } from './ledger.ts';

/** Every EDIT_EVERY-th received text is edited by its author once the webhook about it has come, and so on. */
const EDIT_EVERY = 5;
const DAMAGE_EVERY = 7;
const RETRY_EVERY = 6;
const STRANGER_EVERY = 8;
/** An API that is killed is called again after this time. */
const AGAIN_MS = 500;

/** A linked number, the people who write with it, and all that was written. */
export interface HostileNumber {
  readonly account: Account;
  readonly instance: string;
  readonly people: readonly Person[];
  readonly group: Group;
  readonly groupId: string;
  readonly ledger: Ledger;
  readonly counts: Record<'edits' | 'retries' | 'strangers' | 'damaged', number>;
  /** The client of the current server process. */
  readonly api: () => TrunklineClient;
}

interface Start {
  readonly wa: RemoteFakeWhatsApp;
  readonly place: number;
  readonly api: () => TrunklineClient;
  readonly receiver: string;
}

export async function startNumber({ wa, place, api, receiver }: Start): Promise<HostileNumber> {
  const digits = String(place).padStart(5, '0');
  const account = await wa.account(`55119000${digits}`, { name: `Shop ${digits}` });
  const names = (['either', 'lid', 'pn'] as const).map((writtenToBy, index) =>
    wa.person(`5511800${index}${digits}`, {
      name: `Customer ${index}`,
      writtenToBy,
      linkedDevices: index % 2,
    }),
  );
  const people = await Promise.all(names);
  const group = await wa.group({ subject: `Team ${digits}`, members: [account, ...people] });
  // Two endpoints, because each gets at most two requests a second.
  for (const events of [
    ['message.received', 'message.edited'],
    ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
  ] as const)
    unwrap(await api().webhooks.create({ url: receiver, events: [...events] }));
  const instance = await linkNumber(wa, api(), account);
  const groupIds = async (): Promise<readonly string[]> =>
    unwrap(await api().instances.groups(instance)).data.map(({ id }) => id);
  await until(async () => (await groupIds()).length > 0);
  const [groupId = ''] = await groupIds();
  const counts = { edits: 0, retries: 0, strangers: 0, damaged: 0 };
  return { account, instance, people, group, groupId, ledger: createLedger(), counts, api };
}

/** Sends texts to the number's people, its group and strangers, one after another, until `isOver`. */
export async function sendTexts(
  wa: RemoteFakeWhatsApp,
  number: HostileNumber,
  { everyMs, isOver }: { readonly everyMs: number; readonly isOver: () => boolean },
): Promise<void> {
  const { account, people, group, groupId, instance, ledger, api } = number;
  for (let index = 0; ; index += 1) {
    await pause(everyMs * (0.5 + Math.random()));
    if (isOver()) return;
    const text = `${account.phoneNumber} out ${index}`;
    const chats = [...people, group];
    const chat = index % STRANGER_EVERY === 1 ? await meetStranger(wa, number) : chats[index % chats.length];
    if (!chat) continue;
    const isGroup = 'subject' in chat;
    const to = isGroup ? groupId : chat.phoneNumber;
    const id = await accepted(() =>
      api().messages.send(
        { instance, to, type: 'text', text },
        { idempotencyKey: text.replaceAll(' ', '-') },
      ),
    );
    ledger.out.push({
      id,
      text,
      chat: isGroup ? chat.jid : chat.phoneNumber,
      readers: (isGroup ? people : [chat]).map(({ phoneNumber }) => phoneNumber),
      acceptedAt: Date.now(),
    });
  }
}

/** Creates a person who has never written. WhatsApp refuses messages to them (463) unless these name their number or have a token. */
async function meetStranger(wa: RemoteFakeWhatsApp, { account, counts }: HostileNumber): Promise<Person> {
  const place = (counts.strangers += 1);
  const digits = account.phoneNumber.slice(-3) + String(place).padStart(5, '0');
  const needs = place % 2 === 0 ? ({ writtenToBy: 'pn' } as const) : ({ needsToken: 'any' } as const);
  return wa.person(`55117${digits}`, { name: `Stranger ${place}`, ...needs });
}

/** Repeats the call until the API accepts it: the server may be dead, or not connected yet. */
async function accepted(
  call: () => Promise<{ ok: true; data: { id: string } } | { ok: false }>,
): Promise<string> {
  for (;;) {
    const result = await call().catch(() => ({ ok: false }) as const);
    if (result.ok) return result.data.id;
    await pause(AGAIN_MS);
  }
}

/** People write to the number, alone and in the group, until `isOver`. */
export async function writeTexts(
  wa: RemoteFakeWhatsApp,
  { account, people, group, ledger, counts }: HostileNumber,
  { everyMs, isOver }: { readonly everyMs: number; readonly isOver: () => boolean },
): Promise<void> {
  for (let index = 0; ; index += 1) {
    await pause(everyMs * (0.5 + Math.random()));
    if (isOver()) return;
    const author = people[index % people.length];
    if (!author) return;
    const isInGroup = index % 4 === 3;
    const isDamaged = index % DAMAGE_EVERY === 3;
    if (isDamaged) counts.damaged += 1;
    const text = `${account.phoneNumber} in ${index}`;
    const chat = isInGroup ? `${author.phoneNumber} in ${group.jid}` : author.phoneNumber;
    ledger.in.push({ text, chat, writtenAt: Date.now(), isDamaged, edited: null });
    await wa.inbound(author, account, text, {
      id: networkIdOf(text),
      ...(isInGroup && { group }),
      undecryptable: isDamaged,
    });
  }
}

function networkIdOf(text: string): string {
  return `3AFA${Buffer.from(text).toString('hex').toUpperCase()}`;
}

/** Reads a webhook, and lets the author of some of the texts edit them. */
export async function hear(wa: RemoteFakeWhatsApp, number: HostileNumber, body: string): Promise<void> {
  const { account, people, group, ledger, counts } = number;
  const read = readEvent(body);
  if (!read.ok || !noteReport(ledger, read.event, Date.now())) return;
  const { event } = read;
  if (event.type !== 'message.received' || !('message' in event.data)) return;
  const { text } = event.data.message;
  const index = ledger.in.findIndex((written) => written.text === text);
  const written: InText | undefined = ledger.in[index];
  if (!written || index % EDIT_EVERY !== 0) return;
  counts.edits += 1;
  written.edited = `${written.text} edited`;
  const author = people.find(({ phoneNumber }) => written.chat.startsWith(phoneNumber));
  if (!author) return;
  const edit = { type: 'edit', id: networkIdOf(written.text), text: written.edited } as const;
  await wa.inbound(author, account, edit, written.chat.includes('@') ? { group } : {});
}

/** The phones of the readers confirm a text, and some of them first ask for it again. */
export async function confirm(
  wa: RemoteFakeWhatsApp,
  number: HostileNumber,
  { id, to, toPhoneNumber: phone, content, refused, receivedAt }: SentMessage,
): Promise<void> {
  const { account, people, group, ledger, counts } = number;
  if (refused !== null) return;
  noteAccepted(ledger, id, receivedAt);
  if (content.type !== 'text' || !noteShown(ledger, content.text, id)) return;
  const isGroup = to === group.jid;
  const place = Number(content.text.split(' ').at(-1));
  const reader = isGroup ? people[place % people.length] : people.find((p) => p.phoneNumber === phone);
  if (reader && place % RETRY_EVERY === 0) {
    counts.retries += 1;
    await wa.requestRetry(account, reader, id);
  }
  for (const type of ['delivered', 'read'] as const) {
    if (isGroup) await wa.groupedReceipts(account, { by: people, type, ids: [id], group });
    else if (phone) {
      const by = { phoneNumber: phone, name: '', jid: '', lidJid: null };
      await wa.receipt(account, { by, type, ids: [id] });
    }
  }
}

/** Returns the texts on the phones and the messages in the API at the end. */
export async function outcomeOf(wa: RemoteFakeWhatsApp, number: HostileNumber): Promise<Outcome> {
  const readers = new Set(number.ledger.out.flatMap((out) => out.readers));
  const phones = new Map<string, readonly string[]>();
  for (const phoneNumber of readers) {
    const inbox = await wa.inbox({ phoneNumber, name: '', jid: '', lidJid: null });
    const texts = inbox.map(({ content }) => (content.type === 'text' ? content.text : content.type));
    phones.set(phoneNumber, texts);
  }
  const [outbound, inbound] = await Promise.all([list(number, 'outbound'), list(number, 'inbound')]);
  return { phones, outbound, inbound };
}

/** Oldest first. */
async function list(
  { api, instance }: HostileNumber,
  direction: 'inbound' | 'outbound',
): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  let cursor: string | null = null;
  do {
    const query = { instance, direction, limit: 100, ...(cursor !== null && { cursor }) };
    const page: { readonly data: readonly Listed[]; readonly nextCursor: string | null } = unwrap(
      await api().messages.list(query),
    );
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found.toReversed();
}

/** Names the reports that are still due; null if there are none. */
export async function pendingOf({ ledger, api, instance }: HostileNumber): Promise<string | null> {
  const queued = unwrap(await api().messages.list({ instance, status: 'queued', limit: 100 })).data.length;
  const reports = [...ledger.reports.values()].flat();
  const due = {
    'message.received': ledger.in.length,
    'message.edited': ledger.in.filter(({ edited }) => edited !== null).length,
    'message.sent': ledger.out.length,
  };
  const missing = Object.entries(due).flatMap(([type, wanted]) => {
    const heard = reports.filter((report) => report.type === type).length;
    return heard < wanted ? [`${wanted - heard} of ${type}`] : [];
  });
  const pending = [...(queued > 0 ? [`${queued} queued`] : []), ...missing];
  return pending.length === 0 ? null : pending.join(', ');
}
