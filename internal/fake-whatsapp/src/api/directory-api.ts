import { notify } from '../directory/notify-group.ts';
import type { AddressingMode, Contact, ContactOptions, ReceivedMessage } from '../directory/contact.ts';
import type { Network } from '../network.ts';
import { seconds, stanza } from '../stanza.ts';

/** Someone with a phone. Plain data, so that it can cross a process boundary. */
export interface Person {
  /** Digits. */
  readonly phoneNumber: string;
  readonly name: string;
  /** `5511988887777@s.whatsapp.net` */
  readonly jid: string;
  /** `105511988887777@lid` */
  readonly lidJid: string | null;
}

/** Someone whose phone links clients: the owner of an instance's number. */
export interface Account extends Person {
  readonly kind: 'account';
}

type PersonOptions = ContactOptions;

interface GroupOptions {
  readonly subject: string;
  readonly members: readonly Person[];
  /** The first member by default. */
  readonly admins?: readonly Person[];
  /** How members name each other; `lid` by default. */
  readonly addressing?: AddressingMode;
  /** Whether only admins may write. */
  readonly announcement?: boolean;
  /** Digits; made up if omitted. */
  readonly id?: string;
}

export interface Group {
  /** `120363000000000001@g.us` */
  readonly jid: string;
  /** The subject at creation. */
  readonly subject: string;
}

export interface DirectoryApi {
  account(phoneNumber: string, options?: PersonOptions): Account;
  person(phoneNumber: string, options?: PersonOptions): Person;
  /** Makes this number reach the person, who is registered under a different one, as with Brazil's ninth digit. */
  dialAs(phoneNumber: string, person: Person): void;
  group(options: GroupOptions): Group;
  /** Notifies every linked member, as the network does. */
  renameGroup(group: Group, subject: string): void;
  /** From now on, lists of an account's groups omit the name of this group. */
  listWithoutName(group: Group): void;
  /** Makes an admin let in people who join by the link. */
  askAdminsOf(group: Group): void;
  /** A person asks to be let into the group. */
  askToJoin(group: Group, person: Person): void;
  addToGroup(group: Group, ...people: readonly Person[]): void;
  removeFromGroup(group: Group, ...people: readonly Person[]): void;
  /**
   * Links another device to the phone. Notifies every linked account, as the network does. Returns the device's number.
   */
  linkDevice(person: Person): number;
  unlinkDevice(person: Person, device: number): void;
  /**
   * The person installs the app again, which makes new keys. Notifies every linked account, as whatsmeow's
   * `notification.go` expects it, unless `isNotified` is false.
   */
  reinstall(person: Person, options?: { readonly isNotified?: boolean }): void;
  /** From now on, the group names members in this way. Clients are not notified, so their next message gets a 421. */
  readdressGroup(group: Group, addressing: AddressingMode): void;
  /** Makes later messages disappear after `seconds`, or stay if null. Notifies every linked member. */
  setGroupTimer(group: Group, seconds: number | null): void;
  /** Hides the person's devices from queries until `showDevices`. */
  hideDevices(person: Person): void;
  showDevices(person: Person): void;
  /**
   * Hands out no keys of the person's devices until `handOutKeys`: the person has an error in the response, or is left
   * out of it. The person's existing sessions go on.
   */
  withholdKeys(person: Person, how?: 'error' | 'left_out'): void;
  handOutKeys(person: Person): void;
  /** The messages that the person's phone shows. A message that arrived twice is listed once. */
  inbox(person: Person): readonly ReceivedMessage[];
}

export function directoryApi(network: Network): DirectoryApi {
  const { directory } = network;
  const contactsOf = (people: readonly Person[]) =>
    people.map(({ phoneNumber }) => directory.contact(phoneNumber));
  return {
    account: (phoneNumber, options) => ({
      ...personOf(directory.addAccount(phoneNumber, options)),
      kind: 'account',
    }),
    person: (phoneNumber, options) => personOf(directory.addPerson(phoneNumber, options)),
    dialAs: (dialled, { phoneNumber }) => directory.dialAs(dialled, directory.contact(phoneNumber)),
    group: ({ id, ...options }) => {
      const members = contactsOf(options.members);
      const admins = options.admins === undefined ? members.slice(0, 1) : contactsOf(options.admins);
      const { subject, addressing = 'lid', announcement = false } = options;
      const settings = { subject, members, admins, addressing, announcement, createdAt: network.now() };
      const group = directory.addGroup(settings, id);
      return { jid: group.jid, subject };
    },
    renameGroup: ({ jid }, subject) => {
      const group = directory.group(jid);
      group.subject = subject;
      notify(network, group, stanza('subject', { subject, s_t: seconds(network.now()) }));
    },
    listWithoutName: ({ jid }) => {
      directory.group(jid).isListedByName = false;
    },
    askAdminsOf: ({ jid }) => {
      directory.group(jid).asksAdmin = true;
    },
    askToJoin: ({ jid }, { phoneNumber }) => {
      directory.group(jid).asking.set(directory.contact(phoneNumber), network.now());
    },
    addToGroup: ({ jid }, ...people) => {
      const group = directory.group(jid);
      const added = contactsOf(people);
      for (const contact of added) group.members.add(contact);
      notify(
        network,
        group,
        stanza(
          'add',
          {},
          added.map((contact) => group.participantNode(contact)),
        ),
      );
    },
    removeFromGroup: ({ jid }, ...people) => {
      const group = directory.group(jid);
      const removed = contactsOf(people);
      const node = stanza(
        'remove',
        {},
        removed.map((contact) => group.participantNode(contact)),
      );
      notify(network, group, node);
      for (const contact of removed) group.members.delete(contact);
    },
    linkDevice: ({ phoneNumber }) => {
      const contact = directory.contact(phoneNumber);
      const device = contact.linkDevice();
      notifyOfDevice(network, contact, { change: 'add', device });
      return device;
    },
    unlinkDevice: ({ phoneNumber }, device) => {
      const contact = directory.contact(phoneNumber);
      contact.unlinkDevice(device);
      notifyOfDevice(network, contact, { change: 'remove', device });
    },
    reinstall: ({ phoneNumber }, { isNotified = true } = {}) => {
      const contact = directory.contact(phoneNumber);
      contact.reinstall();
      if (isNotified) notifyOfIdentity(network, contact);
    },
    readdressGroup: ({ jid }, addressing) => {
      directory.group(jid).addressing = addressing;
    },
    setGroupTimer: ({ jid }, seconds) => {
      const group = directory.group(jid);
      group.timer = seconds;
      const change =
        seconds === null
          ? stanza('not_ephemeral')
          : stanza('ephemeral', { expiration: String(seconds), trigger: '1' });
      notify(network, group, change);
    },
    hideDevices: ({ phoneNumber }) => {
      directory.contact(phoneNumber).hasDevices = false;
    },
    showDevices: ({ phoneNumber }) => {
      directory.contact(phoneNumber).hasDevices = true;
    },
    withholdKeys: ({ phoneNumber }, how = 'error') => {
      directory.contact(phoneNumber).withheldKeys = how;
    },
    handOutKeys: ({ phoneNumber }) => {
      directory.contact(phoneNumber).withheldKeys = undefined;
    },
    inbox: ({ phoneNumber }) => [...directory.contact(phoneNumber).inbox.values()],
  };
}

function personOf({ phoneNumber, name, jid, lidJid }: Contact): Person {
  return { phoneNumber, name, jid, lidJid: lidJid ?? null };
}

interface DeviceChange {
  readonly change: 'add' | 'remove';
  readonly device: number;
}

/** Notifies all linked accounts, because senders have to know which devices to encrypt for. */
function notifyOfDevice(network: Network, contact: Contact, { change, device }: DeviceChange): void {
  const attrs = {
    id: network.newStanzaId(),
    type: 'devices',
    from: contact.jidIn('lid'),
    t: seconds(network.now()),
  };
  const changed = stanza('device', { jid: contact.jidIn('lid', device), 'key-index': String(device) });
  const node = stanza('notification', attrs, [stanza(change, { device_hash: '2:fake' }, [changed])]);
  for (const account of network.directory.accounts) {
    for (const { inbox } of account.companions.values()) inbox.put(node);
  }
}

/** Notifies all linked accounts, because their sessions with the person are of no use any more. */
function notifyOfIdentity(network: Network, contact: Contact): void {
  const attrs = {
    id: network.newStanzaId(),
    type: 'encrypt',
    from: contact.jidIn('lid'),
    t: seconds(network.now()),
  };
  for (const account of network.directory.accounts) {
    for (const { inbox } of account.companions.values())
      inbox.put(stanza('notification', attrs, [stanza('identity')]));
  }
}
