import type { GroupReport } from '@trunkline/core';
import { isLidUser } from '@whiskeysockets/baileys';
import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys';
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
  readonly report: (groups: readonly GroupReport[]) => Promise<void>;
  /** Told of what did not work; the next change of the group tries again. */
  readonly failed: (error: unknown) => void;
}

/** Reports groups whenever they change, and answers what reports all of them. */
export function watchGroups(watch: GroupWatch): () => Promise<void> {
  const { socket, directory, failed } = watch;
  // Members may have come and gone while there was no connection; what is sent before all are known asks for them.
  directory.clear();
  const learn = (groups: readonly GroupMetadata[]): Promise<void> => learnGroups(watch, groups);
  /** A change says what is new alone, so the whole is asked for. One that we were removed from stays as it was. */
  const reread = async (id: string): Promise<void> => {
    directory.delete(id);
    await learn([await socket.groupMetadata(id)]);
  };

  socket.ev.on('groups.upsert', (groups) => void learn(groups).catch(failed));
  socket.ev.on('groups.update', (groups) => {
    for (const { id, participants } of groups) if (id && !participants) void reread(id).catch(failed);
  });
  socket.ev.on('group-participants.update', ({ id }) => void reread(id).catch(failed));

  return async () => {
    const all = await socket.groupFetchAllParticipating();
    await learn(Object.values(all));
  };
}

async function learnGroups(
  { socket, directory, report }: GroupWatch,
  groups: readonly GroupMetadata[],
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
  );
}
