import { jidDecode } from '@whiskeysockets/baileys';
import { Contact } from './contact.ts';
import { LinkedAccount } from './linked-account.ts';
import type { Companion } from './linked-account.ts';
import type { ContactOptions } from './contact.ts';
import { GroupChat } from './group-chat.ts';
import type { GroupSettings } from './group-chat.ts';

export class Directory {
  readonly #contacts = new Map<string, Contact>();
  readonly #byLid = new Map<string, Contact>();
  readonly #groups = new Map<string, GroupChat>();
  /** People by dialled numbers that differ from their registered ones. */
  readonly #dialledAs = new Map<string, Contact>();

  addPerson(phoneNumber: string, options?: ContactOptions): Contact {
    return this.#add(new Contact(phoneNumber, options));
  }

  addAccount(phoneNumber: string, options?: ContactOptions): LinkedAccount {
    return this.#add(new LinkedAccount(phoneNumber, options));
  }

  addGroup(settings: GroupSettings, id?: string): GroupChat {
    const group = new GroupChat(id ?? String(120363000000000001n + BigInt(this.#groups.size)), settings);
    if (this.#groups.has(group.jid)) throw new Error(`there is a group ${group.jid} already`);
    this.#groups.set(group.jid, group);
    return group;
  }

  find(phoneNumber: string): Contact | undefined {
    return this.#contacts.get(phoneNumber);
  }

  /** Like `find`, but also by another number that reaches the person. */
  dial(phoneNumber: string): Contact | undefined {
    return this.find(phoneNumber) ?? this.#dialledAs.get(phoneNumber);
  }

  dialAs(phoneNumber: string, contact: Contact): void {
    this.#dialledAs.set(phoneNumber, contact);
  }

  contact(phoneNumber: string): Contact {
    return found(this.find(phoneNumber), `nobody has the number ${phoneNumber}`);
  }

  account(phoneNumber: string): LinkedAccount {
    const contact = this.find(phoneNumber);
    return found(
      contact instanceof LinkedAccount ? contact : undefined,
      `no account has the number ${phoneNumber}`,
    );
  }

  get accounts(): readonly LinkedAccount[] {
    return [...this.#contacts.values()].filter((contact) => contact instanceof LinkedAccount);
  }

  group(jid: string): GroupChat {
    return found(this.#groups.get(jid), `there is no group ${jid}`);
  }

  findGroup(jid: string): GroupChat | undefined {
    return this.#groups.get(jid);
  }

  get groups(): readonly GroupChat[] {
    return [...this.#groups.values()];
  }

  groupsOf(contact: Contact): readonly GroupChat[] {
    return this.groups.filter(({ members }) => members.has(contact));
  }

  /** The owner of a jid, by number or LID, whatever the device. */
  byJid(jid: string): Contact | undefined {
    const { user = '', server = '' } = jidDecode(jid) ?? {};
    return server === 'lid' || server === 'hosted.lid' ? this.#byLid.get(user) : this.#contacts.get(user);
  }

  companionByJid(jid: string): Companion | undefined {
    const contact = this.byJid(jid);
    const device = jidDecode(jid)?.device;
    return contact instanceof LinkedAccount && device !== undefined
      ? contact.companions.get(device)
      : undefined;
  }

  #add<T extends Contact>(contact: T): T {
    if (this.#contacts.has(contact.phoneNumber)) throw new Error(`${contact.phoneNumber} is taken`);
    this.#contacts.set(contact.phoneNumber, contact);
    if (contact.lid !== undefined) this.#byLid.set(contact.lid, contact);
    return contact;
  }
}

function found<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Error(otherwise);
  return value;
}
