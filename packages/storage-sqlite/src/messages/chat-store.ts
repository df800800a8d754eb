import type {
  ChatStore,
  ChatSummary,
  Contact,
  MessageFilter,
  Page,
  PageRequest,
  Message,
} from '@trunkline/core/spi/storage';
import {
  isOfTarget,
  laterOf,
  mergeIds,
  passesFilter,
  readChats,
  readFilteredPage,
  targetsOf,
} from '@trunkline/storage-kit';
import type { ChatFacts, ChatTarget, ContactLookUps } from '@trunkline/storage-kit';
import { fileMessages, readLatestUnfiled, readUnfiled } from './chat-filing.ts';
import type { Connected } from '../database/connection.ts';
import { contactsWithNumber, currentContact } from '../people/contact-store.ts';
import type { Database } from '../database/database.ts';
import { readMessage } from './message-row.ts';
import { matchingAmong } from './message-search.ts';
import { rowsOf, walkIds } from '../database/page.ts';
import { integer, text, word } from '../rows/row.ts';

export function chatStore(connected: Connected): ChatStore {
  return {
    list: async (workspaceId, instanceId, page) =>
      listChats(connected().database, { workspaceId, instanceId }, page),
    file: async (limit) => fileMessages(connected(), limit),
  };
}

/**
 * Lists the messages exchanged with a counterpart: walks the chats in which they are filed, and merges in the unfiled
 * messages.
 */
export async function listByCounterpart(
  database: Database,
  workspaceId: string,
  filter: MessageFilter & Required<Pick<MessageFilter, 'counterpart'>>,
  page: PageRequest,
): Promise<Page<Message>> {
  const contacts = contactsOf(database, workspaceId);
  const targets = await targetsOf(filter.counterpart, filter.instanceId ?? null, contacts);
  // Unfiled messages are read first, so that a message filed in between is found twice instead of missed.
  const keys = targets.map(({ key }) => key);
  const unfiled = readUnfiled(database, workspaceId, keys)
    .filter((message) => isOfTarget(message, targets))
    .map(({ id }) => id);
  const { words } = filter;
  const matching = (ids: readonly string[]): readonly string[] =>
    words === undefined ? ids : matchingAmong(database, workspaceId, { ids, words });
  const parts = targets.flatMap((target) => chatIds(database, workspaceId, target)).map((id) => [id]);
  const list = { table: 'chat_messages', where: 'chat_id = ?', parts };
  return readFilteredPage<Message>(page, {
    ids: (bound, order, count) =>
      mergeIds(walkIds(database, list, { ahead: bound, order, count }), unfiled, { bound, order, count }),
    rows: (ids) =>
      rowsOf(database, 'messages', matching(ids))
        .filter((row) =>
          passesFilter(
            { direction: word(row, 'direction'), type: word(row, 'type'), status: word(row, 'status') },
            filter,
          ),
        )
        .map((row) => readMessage(database, row)),
    idOf: ({ id }) => id,
  });
}

interface OwnedInstance {
  readonly workspaceId: string;
  readonly instanceId: string;
}

async function listChats(
  database: Database,
  owned: OwnedInstance,
  page: PageRequest,
): Promise<Page<ChatSummary>> {
  const { workspaceId, instanceId } = owned;
  const latest = readLatestUnfiled(database, workspaceId, instanceId);
  const list = {
    table: 'chats',
    where: 'instance_id = ? AND workspace_id = ?',
    parts: [[instanceId, workspaceId]],
    id: 'last_message_id',
  };
  return readFilteredPage<ChatSummary>(page, {
    ids: (bound, order, count) =>
      mergeIds(walkIds(database, list, { ahead: bound, order, count }), latest.values(), {
        bound,
        order,
        count,
      }),
    rows: (ids) => readChats(ids, factsOf(database, owned, latest)),
    idOf: ({ lastMessage }) => lastMessage.id,
  });
}

function factsOf(
  database: Database,
  { workspaceId, instanceId }: OwnedInstance,
  latest: ReadonlyMap<string, string>,
): ChatFacts {
  const contacts = contactsOf(database, workspaceId);
  const isHere = (contact: Contact | null): contact is Contact => contact?.instanceId === instanceId;
  return {
    messages: (ids) => rowsOf(database, 'messages', ids).map((row) => readMessage(database, row)),
    contacts: (ids) => ids.map(contacts.current).filter(isHere),
    withNumbers: (numbers) => numbers.flatMap(contacts.withNumber).filter(isHere),
    lastIds: (keys) => {
      const rows = database.all(LAST_IDS, workspaceId, JSON.stringify(keys), instanceId);
      const filed = new Map(rows.map((row) => [text(row, 'key'), text(row, 'last_message_id')]));
      return laterOf(filed, latest);
    },
    groupNames: (groupIds) => {
      const rows = database.all(GROUP_NAMES, JSON.stringify(groupIds), instanceId);
      return new Map(rows.map((row) => [text(row, 'id'), text(row, 'name')]));
    },
  };
}

function contactsOf(
  database: Database,
  workspaceId: string,
): {
  readonly [LookUp in keyof ContactLookUps]: (asked: string) => Awaited<ReturnType<ContactLookUps[LookUp]>>;
} {
  return {
    current: (id) => {
      const contact = currentContact(database, id);
      return contact?.workspaceId === workspaceId ? contact : null;
    },
    withNumber: (digits) => contactsWithNumber(database, workspaceId, digits),
  };
}

function chatIds(
  database: Database,
  workspaceId: string,
  { key, instanceId }: ChatTarget,
): readonly number[] {
  const rows =
    instanceId === null
      ? database.all(CHATS_OF_KEY, workspaceId, key)
      : database.all(`${CHATS_OF_KEY} AND instance_id = ?`, workspaceId, key, instanceId);
  return rows.map((row) => integer(row, 'id'));
}

/** Both queries rely on chats_by_key. */
const CHATS_OF_KEY = 'SELECT id FROM chats WHERE workspace_id = ? AND key = ?';
const LAST_IDS = `
  SELECT key, last_message_id FROM chats
  WHERE workspace_id = ? AND key IN (SELECT value FROM json_each(?)) AND instance_id = ?`;

const GROUP_NAMES =
  'SELECT id, name FROM instance_groups WHERE id IN (SELECT value FROM json_each(?)) AND instance_id = ?';
