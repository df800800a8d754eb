import { setImmediate } from 'node:timers/promises';
import { jidDecode } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { child, children, contentBytes } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { PHONE } from '../directory/contact.ts';
import type { Contact } from '../directory/contact.ts';
import type { GroupChat } from '../directory/group-chat.ts';
import type { Companion } from '../directory/linked-account.ts';
import type { Directory } from '../directory/directory.ts';

export interface Copy {
  readonly reader: Contact;
  readonly device: number;
  /** Undefined if the copy could not be decrypted. */
  readonly message: proto.Message | undefined;
}

/** Decrypts a client's message on every simulated device that it is addressed to, including the sender's phone. */
export async function decryptCopies(
  node: Stanza,
  sender: Companion,
  directory: Directory,
): Promise<readonly Copy[]> {
  const copies: Copy[] = [];
  for (const to of children(child(node, 'participants'), 'to')) {
    await setImmediate();
    const jid = to.attrs['jid'] ?? '';
    const reader = directory.byJid(jid);
    const enc = child(to, 'enc');
    const device = deviceIn(jid);
    // Other clients under test decrypt their relayed copies themselves.
    if (reader?.devices.includes(device) === true && enc !== undefined)
      copies.push(await open({ reader, device }, sender, enc));
  }

  const enc = child(node, 'enc');
  if (enc === undefined) return copies;
  const group = directory.findGroup(node.attrs['to'] ?? '');
  if (group !== undefined && enc.attrs['type'] === 'skmsg')
    return openForGroup(enc, { sender, group, copies });
  const jid = node.attrs['participant'] ?? node.attrs['to'] ?? '';
  const reader = directory.byJid(jid);
  const device = deviceIn(jid);
  if (reader?.devices.includes(device) !== true) return copies;
  const copy = await open({ reader, device }, sender, enc);
  // A copy that a device asked for may bring the group's key, as whatsmeow sends it (`retry.go`).
  const senderKey = copy.message?.senderKeyDistributionMessage;
  if (group !== undefined && senderKey)
    await reader.deviceOf(device).learnSenderKey(group.jidOf(sender.account, sender.device), senderKey);
  return [...copies, copy];
}

function deviceIn(jid: string): number {
  return jidDecode(jid)?.device ?? PHONE;
}

async function open(
  { reader, device }: Pick<Copy, 'reader' | 'device'>,
  sender: Companion,
  enc: Stanza,
): Promise<Copy> {
  const type = enc.attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
  const peer = reader.deviceOf(device);
  const message = await peer.decrypt(sender.jid, type, contentBytes(enc)).catch(() => undefined);
  return { reader, device, message };
}

interface GroupMessage {
  readonly sender: Companion;
  readonly group: GroupChat;
  /** The members' own copies, which contain the sender's key when it is first used. */
  readonly copies: readonly Copy[];
}

/** Decrypts one copy at a time, so that a thousand phones do not keep all connections waiting. */
async function openForGroup(enc: Stanza, { sender, group, copies }: GroupMessage): Promise<readonly Copy[]> {
  const author = group.jidOf(sender.account, sender.device);
  const members = [...group.members].filter((member) => member !== sender.account);
  const devices = members.flatMap((reader) => reader.devices.map((device) => ({ reader, device })));
  const opened: Copy[] = [];
  for (const { reader, device } of devices) {
    await setImmediate();
    const own = copies.find((copy) => copy.reader === reader && copy.device === device);
    const senderKey = own?.message?.senderKeyDistributionMessage;
    const peer = reader.deviceOf(device);
    if (senderKey) await peer.learnSenderKey(author, senderKey);
    const message = await peer.decryptForGroup(group.jid, author, contentBytes(enc)).catch(() => undefined);
    opened.push({ reader, device, message });
  }
  return opened;
}
