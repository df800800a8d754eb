import {
  areJidsSameUser,
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  jidNormalizedUser,
} from '@whiskeysockets/baileys';
import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { isMe } from '../inbound/contact-report.ts';
import { queryKeys, startSessions } from './key-bundles.ts';
import { holdersOf } from './sender-keys.ts';

/**
 * Queries everything needed to encrypt for a person, so that afterwards the message only has to be written. Returns the
 * devices of the person and of the account, or null if the person has none to encrypt for.
 */
export async function reachPerson(socket: WASocket, jid: string): Promise<readonly string[] | null> {
  const devices = await devicesOfChat(socket, jid);
  const theirs = devices.filter((device) => areJidsSameUser(device, jid));
  if (theirs.length === 0) return null;
  const unreachable = await startMissingSessions(socket, devices);
  return theirs.some((device) => !unreachable.has(device)) ? devices : null;
}

/** The devices of a person and of the account, without this one. */
export async function devicesOfChat(
  socket: WASocket,
  jid: string,
  { isFresh = false }: { readonly isFresh?: boolean } = {},
): Promise<readonly string[]> {
  const own = jidNormalizedUser(ownName(socket, isLidUser(jid) === true));
  const found = await socket.getUSyncDevices([own, jid], !isFresh, false);
  return found.map((device) => device.jid).filter((device) => !isThisDevice(socket, device));
}

/** The devices of a group's members, but those of businesses on WhatsApp's Cloud API, which get no group messages. */
export async function devicesOfGroup(
  socket: WASocket,
  { participants }: Pick<GroupMetadata, 'participants'>,
  { isFresh = false }: { readonly isFresh?: boolean } = {},
): Promise<readonly string[]> {
  const members = participants.map(({ id }) => id);
  const found = await socket.getUSyncDevices(members, !isFresh, false);
  return found.map(({ jid }) => jid).filter((jid) => !isHostedLidUser(jid) && !isHostedPnUser(jid));
}

/** This device, as messages name it. */
export function ownName({ authState }: Pick<WASocket, 'authState'>, isByLid: boolean): string {
  const { me } = authState.creds;
  return (isByLid && me?.lid ? me.lid : me?.id) ?? '';
}

/** The devices of a group's members. */
export interface GroupReach {
  readonly devices: readonly string[];
  /** The devices that do not have our key, and cannot get it now. */
  readonly unreachable: readonly string[];
  /** Whether the group has other members, and none of them could read a message. */
  readonly isInVain: boolean;
}

/**
 * Queries everything needed to encrypt for a group, so that afterwards the message only has to be written. A member
 * without keys does not keep the message from the others: that member's phone asks for it again.
 */
export async function reachGroup(socket: WASocket, group: GroupMetadata): Promise<GroupReach> {
  const members = group.participants.map(({ id }) => id);
  const devices = await devicesOfGroup(socket, group);
  const holders = await holdersOf(socket.authState.keys, group.id);
  const lacking = devices.filter((device) => !holders[device] && !isThisDevice(socket, device));
  const unreachable = await startMissingSessions(socket, lacking);
  const isOther = (jid: string): boolean => !isMe(socket, jid);
  const others = devices.filter(isOther);
  return {
    devices,
    // Baileys would also encrypt for this device itself.
    unreachable: [...unreachable, ...devices.filter((device) => isThisDevice(socket, device))],
    isInVain: members.some(isOther) && others.every((device) => unreachable.has(device)),
  };
}

/** The sessions that are being started on a connection, by device. */
const starts = new WeakMap<WASocket, Map<string, Promise<void>>>();

/** Starts the sessions that are missing. Returns the devices without a session. Rejects if the query fails. */
export async function startMissingSessions(
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
