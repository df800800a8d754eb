import {
  areJidsSameUser,
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  jidNormalizedUser,
} from '@whiskeysockets/baileys';
import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { isMe } from '../inbound/contact-report.ts';
import type { InTime } from '../socket/query-time.ts';
import { queryKeys, startSessions } from './key-bundles.ts';
import { holdersOf } from './sender-keys.ts';

interface Reach {
  readonly socket: WASocket;
  readonly inTime: InTime;
}

/** The devices of these people. Rejects if WhatsApp does not name them in time. */
async function findDevices({ socket, inTime }: Reach, people: string[]): Promise<readonly string[]> {
  const query = socket.getUSyncDevices(people, true, false);
  const found = await inTime("WhatsApp's list of devices", query);
  return found.map(({ jid }) => jid);
}

/**
 * Queries everything needed to encrypt for a person, so that afterwards the message only has to be written. Returns
 * whether the person has a device to encrypt for. Rejects if a query fails.
 */
export async function canEncryptFor(reach: Reach, jid: string): Promise<boolean> {
  const { socket } = reach;
  const { me } = socket.authState.creds;
  const own = isLidUser(jid) && me?.lid ? me.lid : me?.id;
  const found = await findDevices(reach, [jidNormalizedUser(own), jid]);
  const devices = found.filter((device) => !isThisDevice(socket, device));
  const theirs = devices.filter((device) => areJidsSameUser(device, jid));
  if (theirs.length === 0) return false;
  const unreachable = await startMissingSessions(socket, devices);
  return theirs.some((device) => !unreachable.has(device));
}

/** The devices of a group's members. */
export interface GroupReach {
  /** The devices that do not have our key, and cannot get it now. */
  readonly unreachable: readonly string[];
  /** Whether the group has other members, and none of them could read a message. */
  readonly isInVain: boolean;
}

/**
 * Queries everything needed to encrypt for a group, so that afterwards the message only has to be written. A member
 * without keys does not keep the message from the others: that member's phone asks for it again.
 */
export async function reachGroup(reach: Reach, group: GroupMetadata): Promise<GroupReach> {
  const { socket } = reach;
  const members = group.participants.map(({ id }) => id);
  const found = await findDevices(reach, members);
  const devices = found.filter((jid) => !isHostedLidUser(jid) && !isHostedPnUser(jid));
  const holders = await holdersOf(socket.authState.keys, group.id);
  const lacking = devices.filter((device) => !holders[device] && !isThisDevice(socket, device));
  const unreachable = await startMissingSessions(socket, lacking);
  const isOther = (jid: string): boolean => !isMe(socket, jid);
  const others = devices.filter(isOther);
  return {
    // Baileys would also encrypt for this device itself.
    unreachable: [...unreachable, ...devices.filter((device) => isThisDevice(socket, device))],
    isInVain: members.some(isOther) && others.every((device) => unreachable.has(device)),
  };
}

/** The sessions that are being started on a connection, by device. */
const starts = new WeakMap<WASocket, Map<string, Promise<void>>>();

/** Starts the sessions that are missing. Returns the devices without a session. Rejects if the query fails. */
async function startMissingSessions(
  socket: WASocket,
  devices: readonly string[],
): Promise<ReadonlySet<string>> {
  const missing = await withoutSession(socket, devices);
  if (missing.length === 0) return new Set();
  const started = starts.get(socket) ?? new Map<string, Promise<void>>();
  starts.set(socket, started);
  // Several chats may need the same session, such as that with the owner's phone.
  const others = missing.flatMap((device) => started.get(device) ?? []);
  const own = missing.filter((device) => !started.has(device));
  if (own.length > 0) {
    const starting = queryKeys(socket, own)
      .then((bundles) => startSessions(socket, bundles))
      .finally(() => {
        for (const device of own) started.delete(device);
      });
    for (const device of own) started.set(device, starting);
    others.push(starting);
  }
  await Promise.all(others);
  return new Set(await withoutSession(socket, missing));
}

async function withoutSession(
  { signalRepository }: WASocket,
  devices: readonly string[],
): Promise<readonly string[]> {
  // Together, so that the storage reads them in few round trips.
  const sessions = await Promise.all(devices.map((device) => signalRepository.validateSession(device)));
  return devices.filter((_, index) => !sessions[index]?.exists);
}

function isThisDevice({ user }: WASocket, device: string): boolean {
  return device === user?.id || device === user?.lid;
}
