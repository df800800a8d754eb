import type { GroupReport, GroupsExtent } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, getBinaryNodeChild } from '@whiskeysockets/baileys';
import type { BinaryNode, GroupMetadata, GroupParticipant, WASocket } from '@whiskeysockets/baileys';
import { queryErrorOf, statusCodeOf } from '../socket/status-code.ts';
import type { Pauses } from '../socket/socket-life.ts';
import type { GroupDirectory } from './group-directory.ts';
import { askForGroups } from './group-queries.ts';
import { storable } from './storable-text.ts';

/** How long to wait after a change before reading the group, so that one query covers several changes. */
const REREAD_AFTER_MS = 1_000;
/**
 * The wait after a failed query, doubled after each further failure, because the network responds to too many queries
 * with 429.
 */
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

interface GroupWatch {
  readonly socket: WASocket;
  readonly directory: GroupDirectory;
  /** Waits that end with the connection. */
  readonly pauses: Pauses;
  readonly report: (groups: readonly GroupReport[], extent: GroupsExtent) => Promise<void>;
  /** Called with the first of several consecutive failures, which are retried. */
  readonly failed: (error: unknown) => void;
}

export interface Groups {
  /** Queries the list of all groups, and reports them. */
  sync(): void;
  /** Returns a group, from the network if its members are not remembered. */
  find(jid: string): Promise<GroupMetadata>;
}

/** Follows the groups of the number, and reports those that change. */
export function watchGroups({ socket, directory, pauses, report, failed }: GroupWatch): Groups {
  // Members may have joined or left while there was no connection.
  directory.clear();
  /** The groups reported since the query for all groups began, which are newer than its response. */
  const recent = new Map<string, GroupReport>();
  /** The groups to read, in the order of their changes. */
  const changed = new Set<string>();
  const reading = new Map<string, Promise<GroupMetadata>>();
  let isListStale = false;
  let isReading = false;

  const learn = async (groups: readonly GroupMetadata[]): Promise<void> => {
    const reports = groups.map(reportOf);
    for (const known of reports) recent.set(known.networkId, known);
    await report(reports, { full: false });
  };

  /** Shares concurrent reads of a group, unless the group has changed since the read began. */
  const read = (jid: string): Promise<GroupMetadata> => {
    const known = reading.get(jid);
    if (known) return known;
    const begun = socket.groupMetadata(jid).then((group) => {
      if (reading.get(jid) === begun) directory.set(group);
      return group;
    });
    reading.set(jid, begun);
    const forget = (): void => {
      if (reading.get(jid) === begun) reading.delete(jid);
    };
    begun.then(forget, forget);
    return begun;
  };

  const forget = (jid: string): void => {
    directory.delete(jid);
    reading.delete(jid);
  };

  const readList = async (): Promise<void> => {
    isListStale = false;
    recent.clear();
    const all = new Map((await askForGroups(socket)).map((group) => [group.networkId, group]));
    await report([...new Map([...all, ...recent]).values()], { full: true });
    // The list omits the names of some groups, which a query for the group itself returns.
    for (const { networkId, name } of all.values()) {
      if (name === undefined && !recent.has(networkId)) changed.add(networkId);
    }
  };

  const readChanged = async (jid: string): Promise<void> => {
    changed.delete(jid);
    try {
      await learn([await read(jid)]);
    } catch (error) {
      // The network does not describe a group to a number that has left it: read the list of all groups instead.
      if (!isNoMember(error)) throw error;
      isListStale = true;
    }
  };

  /** Makes one query at a time. If a query fails, its group is queued again, and all groups wait. */
  const readAll = async (): Promise<void> => {
    let wait = FIRST_RETRY_MS;
    while (!pauses.isOver() && (isListStale || changed.size > 0)) {
      const [next] = changed;
      const wantsList = isListStale;
      try {
        await (wantsList ? readList() : readChanged(next ?? ''));
        wait = FIRST_RETRY_MS;
      } catch (error) {
        if (wantsList) isListStale = true;
        else if (next !== undefined) changed.add(next);
        await pauses.pause(wait);
        // The end of the connection may have caused the failure.
        if (wait === FIRST_RETRY_MS && !pauses.isOver()) failed(error);
        wait = Math.min(wait * 2, LONGEST_RETRY_MS);
      }
    }
  };

  const readSoon = async (delayMs: number): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      await pauses.pause(delayMs);
      await readAll();
    } finally {
      isReading = false;
    }
  };

  const noteChange = (jid: string): void => {
    forget(jid);
    changed.add(jid);
    void readSoon(REREAD_AFTER_MS);
  };

  const isOwn = ({ id, lid, phoneNumber }: GroupParticipant): boolean => {
    const { me } = socket.authState.creds;
    return [id, lid, phoneNumber].some(
      (jid) => areJidsSameUser(jid, me?.id) || areJidsSameUser(jid, me?.lid),
    );
  };

  const sync = (): void => {
    isListStale = true;
    void readSoon(0);
  };

  socket.ev.on('groups.upsert', (groups) => {
    for (const group of groups) directory.set(group);
    void learn(groups).catch((error: unknown) => {
      failed(error);
      for (const { id } of groups) noteChange(id);
    });
  });
  socket.ev.on('groups.update', (groups) => {
    // The update has only the changed fields, so query the whole group.
    for (const { id, participants } of groups) if (id && !participants) noteChange(id);
  });
  socket.ev.on('group-participants.update', ({ id, action, participants }) => {
    if (action === 'remove' && participants.some(isOwn)) {
      forget(id);
      changed.delete(id);
      sync();
    } else noteChange(id);
  });
  takeOverDirtyGroups(socket, sync);

  return { sync, find: async (jid) => directory.get(jid) ?? read(jid) };
}

/**
 * Handles the network's report that groups changed while there was no connection, because Baileys would query all
 * groups with their members.
 */
function takeOverDirtyGroups(socket: WASocket, sync: () => void): void {
  socket.ws.prependListener('CB:ib,,dirty', (stanza: BinaryNode) => {
    const dirty = getBinaryNodeChild(stanza, 'dirty');
    const type = dirty?.attrs['type'];
    if (!dirty || (type !== 'groups' && type !== 'communities')) return;
    dirty.attrs = { ...dirty.attrs, type: `${type} (being read)` };
    sync();
    // If this fails, the next connection gets the report again.
    void socket.cleanDirtyBits('groups').catch(() => undefined);
  });
}

/** Whether the network responded that the number is not in the queried group. */
export function isNoMember(error: unknown): boolean {
  const code = queryErrorOf(error) ?? statusCodeOf(error);
  return code === 403 || code === 404;
}

function reportOf({ id, subject, size, participants }: GroupMetadata): GroupReport {
  return {
    networkId: id,
    name: storable(subject) ?? undefined,
    // The number itself is a member, so 0 means that the network does not report the count.
    participantsCount: (size ?? participants.length) || undefined,
  };
}
