import type { GroupReport, GroupsExtent } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, isLidUser } from '@whiskeysockets/baileys';
import type { GroupMetadata, GroupParticipant, WASocket } from '@whiskeysockets/baileys';
import QuickLRU from 'quick-lru';
import { storable } from './message-content.ts';

/** Groups whose members are remembered; the members of another are asked for when something is sent to it. */
const REMEMBERED = 500;

/** Who is in which group, kept fresh: sending to a group without asking the network each time. */
export type GroupDirectory = QuickLRU<string, GroupMetadata>;

export function groupDirectory(): GroupDirectory {
  return new QuickLRU({ maxSize: REMEMBERED });
}

interface GroupWatch {
  readonly socket: WASocket;
  readonly directory: GroupDirectory;
  readonly report: (groups: readonly GroupReport[], extent: GroupsExtent) => Promise<void>;
  /** Called with what did not work; the next change of the group tries again. */
  readonly failed: (error: unknown) => void;
}

/** Reports groups whenever they change, and returns what reports all of them. */
export function watchGroups(watch: GroupWatch): () => Promise<void> {
  const { socket, directory, failed } = watch;
  // Members may have come and gone while there was no connection; what is sent before all are known asks for them.
  directory.clear();
  /** Those that were learned of while all were being asked for: the network's list may be older. */
  const recent = new Map<string, GroupMetadata>();
  const learn = (groups: readonly GroupMetadata[]): Promise<void> => {
    for (const group of groups) recent.set(group.id, group);
    return learnGroups(watch, groups, { full: false });
  };
  /** A change says what is new alone, so the whole is asked for. */
  const reread = async (id: string): Promise<void> => {
    directory.delete(id);
    await learn([await socket.groupMetadata(id)]);
  };
  const learnAll = async (): Promise<void> => {
    recent.clear();
    const all = new Map(Object.entries(await socket.groupFetchAllParticipating()));
    await learnGroups(watch, [...new Map([...all, ...recent]).values()], { full: true });
  };
  const isOwn = ({ id, lid, phoneNumber }: GroupParticipant): boolean => {
    const { me } = socket.authState.creds;
    return [id, lid, phoneNumber].some(
      (jid) => areJidsSameUser(jid, me?.id) || areJidsSameUser(jid, me?.lid),
    );
  };

  socket.ev.on('groups.upsert', (groups) => void learn(groups).catch(failed));
  socket.ev.on('groups.update', (groups) => {
    for (const { id, participants } of groups) if (id && !participants) void reread(id).catch(failed);
  });
  socket.ev.on('group-participants.update', ({ id, action, participants }) => {
    // The network does not describe a group to a number that is not in it any more: the list of all says that.
    const isLeft = action === 'remove' && participants.some(isOwn);
    directory.delete(id);
    void (isLeft ? learnAll() : reread(id)).catch(failed);
  });

  return learnAll;
}

async function learnGroups(
  { socket, directory, report }: GroupWatch,
  groups: readonly GroupMetadata[],
  extent: GroupsExtent,
): Promise<void> {
  for (const group of groups) directory.set(group.id, group);
  const members = groups.flatMap(({ participants }) => participants);
  const mappings = members.flatMap(({ id, phoneNumber }) =>
    phoneNumber && isLidUser(id) ? [{ lid: id, pn: phoneNumber }] : [],
  );
  await socket.signalRepository.lidMapping.storeLIDPNMappings(mappings);
  await report(
    groups.map(({ id, subject, size, participants }) => ({
      networkId: id,
      name: storable(subject) ?? '',
      participantsCount: size ?? participants.length,
    })),
    extent,
  );
}
