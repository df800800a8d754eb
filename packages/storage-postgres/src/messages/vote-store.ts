import { isOutdatedVote } from '@trunkline/core/spi/storage';
import type { CastVote, RecordedActivity, VoteStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import { entities, json } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';

export function voteStore(connected: Connected): VoteStore {
  return {
    list: async (workspaceId, messageId, page) => {
      // Relies on poll_votes_by_message.
      const list = {
        prefix: 'vot',
        table: 'trunkline.poll_votes',
        columns: `item.*, ${CONTACT} AS contact`,
        parts: 'unnest($1::uuid[], $2::uuid[]) AS part (message_id, workspace_id)',
        keys: { message_id: 'part.message_id', workspace_id: 'part.workspace_id' },
        values: [[uuidToFind('msg', messageId)], [uuidToFind('ten', workspaceId)]],
      } as const;
      return readPage(connected(), list, page, readCastVote);
    },
    listOfPeople: async (workspaceId, contactIds) => {
      const uuids = contactIds.flatMap((id) => uuidToFind('con', id) ?? []);
      const rows = await connected().all(OF_PEOPLE, uuids, uuidToFind('ten', workspaceId));
      return rows.map(entities.vote.read);
    },
  };
}

/** The contact of a vote, or the contact into which it was merged. */
const CONTACT = `(
    SELECT row_to_json(contact)::text FROM trunkline.contacts AS given JOIN trunkline.contacts AS contact
      ON contact.id = coalesce(given.merged_into, given.id)
    WHERE given.id = item.contact_id
  )`;

function readCastVote(row: Row): CastVote {
  return {
    ...entities.vote.read(row),
    contact: row['contact'] === null ? null : entities.contact.read(json<Row>(row, 'contact')),
  };
}

/** Replaces the person's votes. Returns why nothing was written, if so. */
export async function replaceVotes(
  transaction: Transaction,
  instance: string | null,
  { vote, voterIds }: Required<RecordedActivity>['vote'],
): Promise<'stale' | 'repeat' | null> {
  // The lock also makes votes in one poll wait for one another.
  const row = await transaction.get(LOCK, uuidToFind('msg', vote.messageId), instance);
  if (!row || readMessage(row).deletedAt !== null) return 'stale';
  const { contactId } = vote;
  if (contactId !== null && !(await transaction.get(KEEP_UNMERGED, uuidToFind('con', contactId))))
    return 'stale';
  const own = vote.contactId === null;
  const voters = voterIds.map((id) => uuidOf('con', id));
  const about = [uuidOf('msg', vote.messageId), uuidOf('ten', vote.workspaceId), own, voters] as const;
  const before = (await transaction.all(OF_PERSON, ...about)).map(entities.vote.read);
  if (before.some((stored) => isOutdatedVote(vote, stored))) return 'repeat';
  if (before.length > 0) {
    await transaction.run(
      DELETE,
      before.map(({ id }) => uuidOf('vot', id)),
    );
  }
  await transaction.run(STORE, JSON.stringify(entities.vote.columns(vote)));
  return null;
}

/** Keeps the contact from being merged or deleted until the transaction ends. */
const KEEP_UNMERGED = `
  SELECT 1 FROM trunkline.contacts WHERE id = $1 AND merged_into IS NULL FOR SHARE`;

const LOCK = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item
  WHERE item.id = $1 AND item.instance_id = $2
  FOR NO KEY UPDATE OF item`;

// Relies on poll_votes_by_message.
const OF_PERSON = `
  SELECT * FROM trunkline.poll_votes
  WHERE message_id = $1 AND workspace_id = $2
    AND CASE WHEN $3::boolean THEN contact_id IS NULL ELSE contact_id = ANY ($4::uuid[]) END`;

// Relies on poll_votes_by_contact.
const OF_PEOPLE = `
  SELECT * FROM trunkline.poll_votes WHERE contact_id = ANY ($1::uuid[]) AND workspace_id = $2 ORDER BY id`;

const DELETE = 'DELETE FROM trunkline.poll_votes WHERE id = ANY ($1::uuid[])';

const STORE = `
  INSERT INTO trunkline.poll_votes
  SELECT * FROM json_populate_record(NULL::trunkline.poll_votes, $1::text::json)`;
