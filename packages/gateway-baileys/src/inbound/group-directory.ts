import { jidDecode, jidEncode } from '@whiskeysockets/baileys';
import type { GroupMetadata, GroupParticipant } from '@whiskeysockets/baileys';

/** The maximum number of members (17 bytes each) in all remembered groups together. */
const MAX_MEMBERS = 100_000;
/** The memory that a group takes without its members, as a number of members. */
const GROUP_AS_MEMBERS = 100;

/**
 * The most recently used groups with their members, so that sending to a group need not query the network each time.
 * They are packed, because a big account's groups take tens of megabytes in Baileys' form.
 */
export interface GroupDirectory {
  get(jid: string): GroupMetadata | undefined;
  set(group: GroupMetadata): void;
  delete(jid: string): void;
  clear(): void;
}

interface PackedGroup {
  readonly facts: Omit<GroupMetadata, 'participants'>;
  readonly members: PackedMembers;
}

export function groupDirectory(maxMembers: number = MAX_MEMBERS): GroupDirectory {
  /** Ordered by use, the most recent last. */
  const groups = new Map<string, PackedGroup>();
  let size = 0;

  const remove = (jid: string): void => {
    const group = groups.get(jid);
    if (!group) return;
    groups.delete(jid);
    size -= sizeOf(group);
  };

  return {
    get(jid) {
      const group = groups.get(jid);
      if (!group) return undefined;
      groups.delete(jid);
      groups.set(jid, group);
      return { ...group.facts, participants: unpacked(group.members) };
    },
    set({ participants, ...facts }) {
      remove(facts.id);
      // A description may be as long as a page, and sending does not need it.
      delete facts.desc;
      const members = packed(participants);
      if (!members) return;
      const group = { facts, members };
      groups.set(facts.id, group);
      size += sizeOf(group);
      for (const [oldest] of groups) {
        if (size <= maxMembers) break;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      groups.clear();
      size = 0;
    },
  };
}

function sizeOf({ members }: PackedGroup): number {
  return GROUP_AS_MEMBERS + members.users.length;
}

interface PackedMembers {
  /** The digits of the members' ids. */
  readonly users: BigUint64Array;
  /** The digits of the members' numbers; 0 if the network does not name the number. */
  readonly numbers: BigUint64Array;
  /** The servers of the members' ids, as indexes into `servers`. */
  readonly serverOf: Uint8Array;
  readonly servers: readonly string[];
}

const DIGITS = /^[1-9]\d{0,17}$/;

/** Null if an id has an unknown form; such a group is not remembered. */
function packed(participants: readonly GroupParticipant[]): PackedMembers | null {
  const servers: string[] = [];
  const users = new BigUint64Array(participants.length);
  const numbers = new BigUint64Array(participants.length);
  const serverOf = new Uint8Array(participants.length);
  for (const [index, { id, phoneNumber }] of participants.entries()) {
    const { user = '', server = '', device } = jidDecode(id) ?? {};
    if (!DIGITS.test(user) || device !== undefined) return null;
    const number = (phoneNumber && jidDecode(phoneNumber)?.user) ?? '';
    if (!servers.includes(server)) servers.push(server);
    users[index] = BigInt(user);
    numbers[index] = DIGITS.test(number) ? BigInt(number) : 0n;
    serverOf[index] = servers.indexOf(server);
  }
  return { users, numbers, serverOf, servers };
}

function unpacked({ users, numbers, serverOf, servers }: PackedMembers): GroupParticipant[] {
  return Array.from(users, (user, index) => {
    const server = servers[serverOf[index] ?? 0] ?? '';
    const number = numbers[index] ?? 0n;
    return {
      id: `${user}@${server}`,
      ...(number > 0n && { phoneNumber: jidEncode(String(number), 's.whatsapp.net') }),
    };
  });
}
