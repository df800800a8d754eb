import { jidDecode } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { child, children, contentBytes } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Contact } from '../directory/contact.ts';
import type { GroupChat } from '../directory/group-chat.ts';
import type { Companion } from '../directory/linked-account.ts';
import type { Directory } from '../directory/directory.ts';

/** What one phone made of a message. */
export interface Copy {
  readonly reader: Contact;
  /** Undefined where it could not be decrypted. */
  readonly message: proto.Message | undefined;
}

/** Lets every phone that a client's message is for decrypt its copy, the sender's own phone included. */
export async function decryptCopies(
  node: Stanza,
  sender: Companion,
  directory: Directory,
): Promise<readonly Copy[]> {
  const copies: Copy[] = [];
  for (const to of children(child(node, 'participants'), 'to')) {
    const jid = to.attrs['jid'] ?? '';
    const reader = directory.byJid(jid);
    const enc = child(to, 'enc');
    if (reader !== undefined && enc !== undefined && isPhone(jid))
      copies.push(await open(reader, sender, enc));
  }

  const enc = child(node, 'enc');
  if (enc === undefined) return copies;
  const group = directory.findGroup(node.attrs['to'] ?? '');
  if (group !== undefined && enc.attrs['type'] === 'skmsg')
    return openForGroup(enc, { sender, group, copies });
  const reader = directory.byJid(node.attrs['participant'] ?? node.attrs['to'] ?? '');
  return reader === undefined ? copies : [...copies, await open(reader, sender, enc)];
}

function isPhone(jid: string): boolean {
  return (jidDecode(jid)?.device ?? 0) === 0;
}

async function open(reader: Contact, sender: Companion, enc: Stanza): Promise<Copy> {
  const type = enc.attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
  const message = await reader.device.decrypt(sender.jid, type, contentBytes(enc)).catch(() => undefined);
  return { reader, message };
}

interface GroupMessage {
  readonly sender: Companion;
  readonly group: GroupChat;
  /** What each member got for itself: the sender's key, the first time. */
  readonly copies: readonly Copy[];
}

function openForGroup(enc: Stanza, { sender, group, copies }: GroupMessage): Promise<readonly Copy[]> {
  const author = group.jidOf(sender.account, sender.device);
  const members = [...group.members].filter((member) => member !== sender.account);
  return Promise.all(
    members.map(async (reader) => {
      const senderKey = copies.find((copy) => copy.reader === reader)?.message?.senderKeyDistributionMessage;
      if (senderKey) await reader.device.learnSenderKey(author, senderKey);
      const message = await reader.device
        .decryptForGroup(group.jid, author, contentBytes(enc))
        .catch(() => undefined);
      return { reader, message };
    }),
  );
}
