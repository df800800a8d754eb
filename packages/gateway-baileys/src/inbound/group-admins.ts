import { jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import QuickLRU from 'quick-lru';

/** Resolves with all JIDs of a group's admins. Rejects if the network does not report them. */
export type FindAdmins = (group: string) => Promise<readonly string[]>;

/** Limits queries to the network, because any member could trigger them. */
const REMEMBERED_MS = 60_000;

export function findAdminsOf(socket: WASocket): FindAdmins {
  const found = new QuickLRU<string, Promise<readonly string[]>>({ maxSize: 100, maxAge: REMEMBERED_MS });
  socket.ev.on('group-participants.update', ({ id }) => void found.delete(id));
  const ask: FindAdmins = async (group) => {
    const { participants } = await socket.groupMetadata(group);
    const admins = participants.filter(({ admin }) => admin);
    return admins.flatMap(({ id, lid, phoneNumber }) =>
      [id, lid, phoneNumber].flatMap((jid) => (jid ? [jidNormalizedUser(jid)] : [])),
    );
  };
  return (group) => {
    const admins = found.get(group) ?? ask(group);
    found.set(group, admins);
    return admins;
  };
}
