import { isOutdatedVote } from '@trunkline/core/spi/storage';
import type { RecordedActivity, Vote, VoteStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import { currentContact } from '../people/contact-store.ts';
import { entities } from '../rows/row.ts';
import { readMessage } from './message-row.ts';

export function voteStore(connected: Connected): VoteStore {
  return {
    list: async (workspaceId, messageId, page) => {
      const { database } = connected();
      const list = { table: 'poll_votes', where: OF_MESSAGE, parts: [[messageId, workspaceId]] };
      return readPage(database, list, page, (row) => {
        const vote = entities.vote.read(row);
        return {
          ...vote,
          contact: vote.contactId === null ? null : currentContact(database, vote.contactId),
        };
      });
    },
    listOfPeople: async (workspaceId, contactIds) =>
      connected()
        .database.all(OF_PEOPLE, JSON.stringify(contactIds), workspaceId)
        .map(entities.vote.read)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** Relies on poll_votes_by_message. */
const OF_MESSAGE = 'message_id = ? AND workspace_id = ?';

/** Relies on poll_votes_by_contact. */
const OF_CONTACTS = 'contact_id IN (SELECT value FROM json_each(?))';

const OF_PEOPLE = `SELECT * FROM poll_votes WHERE ${OF_CONTACTS} AND workspace_id = ?`;

/** Replaces the person's votes. Returns why nothing was written, if so. */
export function replaceVotes(
  database: Database,
  instanceId: string,
  { vote, voterIds }: Required<RecordedActivity>['vote'],
): 'stale' | 'repeat' | null {
  const row = database.get(
    'SELECT * FROM messages WHERE id = ? AND instance_id = ?',
    vote.messageId,
    instanceId,
  );
  if (!row || readMessage(database, row).deletedAt !== null) return 'stale';
  if (vote.contactId !== null && currentContact(database, vote.contactId)?.id !== vote.contactId)
    return 'stale';
  const before = votesOf(database, vote, voterIds);
  if (before.some((stored) => isOutdatedVote(vote, stored))) return 'repeat';
  for (const { id } of before) database.run('DELETE FROM poll_votes WHERE id = ?', id);
  database.insert('poll_votes', entities.vote.columns(vote));
  return null;
}

function votesOf(
  database: Database,
  { messageId, workspaceId, contactId }: Vote,
  voterIds: readonly string[],
): readonly Vote[] {
  const rows =
    contactId === null
      ? database.all(
          `SELECT * FROM poll_votes WHERE ${OF_MESSAGE} AND contact_id IS NULL`,
          messageId,
          workspaceId,
        )
      : database.all(
          `SELECT * FROM poll_votes WHERE ${OF_MESSAGE} AND ${OF_CONTACTS}`,
          messageId,
          workspaceId,
          JSON.stringify(voterIds),
        );
  return rows.map(entities.vote.read);
}

export function deleteVotesOn(
  database: Database,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): void {
  database.run(`DELETE FROM poll_votes WHERE ${OF_MESSAGE}`, id, workspaceId);
}

/** `contactIds` is a JSON array. */
export function deleteVotesOf(database: Database, contactIds: string): void {
  database.run(`DELETE FROM poll_votes WHERE ${OF_CONTACTS}`, contactIds);
}
