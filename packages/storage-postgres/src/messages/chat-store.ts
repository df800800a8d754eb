import type {
  ChatStore,
  ChatSummary,
  Contact,
  Message,
  MessageFilter,
  Page,
  PageRequest,
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
import type { ChatFacts, ChatTarget, IdBound, PagePlan } from '@trunkline/storage-kit';
import { fileMessages, readLatestUnfiled, readUnfiled } from './chat-filing.ts';
import { keyOfStored, storedKey } from './chat-key.ts';
import { contactsWithNumbers } from '../people/contact-store.ts';
import type { Connected } from '../database/database.ts';
import { readMessages } from './message-row.ts';
import { matchingAmong } from './message-search.ts';
import { entities, id, integer, text } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function chatStore(connected: Connected): ChatStore {
  return {
    list: async (workspaceId, instanceId, page) => listChats(connected(), { workspaceId, instanceId }, page),
    file: async (limit) => fileMessages(connected(), limit),
  };
}

/**
 * Lists the messages exchanged with a counterpart: walks the chats in which they are filed, and merges in the unfiled
 * messages.
 */
export async function listByCounterpart(
  statements: Statements,
  workspaceId: string,
  filter: MessageFilter & Required<Pick<MessageFilter, 'counterpart'>>,
  page: PageRequest,
): Promise<Page<Message>> {
  const workspace = uuidToFind('ten', workspaceId);
  const targets = await targetsOf(filter.counterpart, filter.instanceId ?? null, {
    current: async (contactId) => (await currentContacts(statements, workspace, [contactId]))[0] ?? null,
    withNumber: (digits) => contactsWithNumbers(statements, workspace, [digits]),
  });
  // Unfiled messages are read first, so that a message filed in between is found twice instead of missed.
  const keys = targets.map(({ key }) => key);
  const unfiled = (await readUnfiled(statements, workspace, keys))
    .filter((message) => isOfTarget(message, targets))
    .map((message) => message.id);
  const chats = await chatIds(statements, workspace, targets);
  return readFilteredPage<Message>(page, {
    ids: async (bound, order, count) => {
      const rows = await statements.all(walk(CHAT_MESSAGES, { bound, order, count }), chats, ...idIn(bound));
      const found = rows.map((row) => id(row, 'id', 'msg'));
      return mergeIds(found, unfiled, { bound, order, count });
    },
    rows: async (ids) => {
      const { words } = filter;
      const matching = words === undefined ? ids : await matchingAmong(statements, workspace, { ids, words });
      return (await readMessages(statements, matching)).filter((message) => passesFilter(message, filter));
    },
    idOf: (message) => message.id,
  });
}

interface OwnedInstance {
  readonly workspaceId: string;
  readonly instanceId: string;
}

async function listChats(
  statements: Statements,
  { workspaceId, instanceId }: OwnedInstance,
  page: PageRequest,
): Promise<Page<ChatSummary>> {
  const [workspace, instance] = [uuidToFind('ten', workspaceId), uuidToFind('ins', instanceId)];
  const latest = await readLatestUnfiled(statements, workspace, instance);
  const facts = factsOf(statements, { workspaceId, workspace, instance, instanceId }, latest);
  return readFilteredPage<ChatSummary>(page, {
    ids: async (bound, order, count) => {
      const rows = await statements.all(walk(CHATS, { bound, order, count }), [instance], ...idIn(bound));
      const found = rows.map((row) => id(row, 'id', 'msg'));
      return mergeIds(found, latest.values(), { bound, order, count });
    },
    rows: (ids) => readChats(ids, facts),
    idOf: ({ lastMessage }) => lastMessage.id,
  });
}

function factsOf(
  statements: Statements,
  {
    workspaceId,
    workspace,
    instance,
    instanceId,
  }: OwnedInstance & { readonly workspace: string | null; readonly instance: string | null },
  latest: ReadonlyMap<string, string>,
): ChatFacts {
  const here = (contacts: readonly Contact[]): readonly Contact[] =>
    contacts.filter((contact) => contact.instanceId === instanceId);
  return {
    messages: async (ids) =>
      (await readMessages(statements, ids)).filter((message) => message.workspaceId === workspaceId),
    contacts: async (ids) => here(await currentContacts(statements, workspace, ids)),
    withNumbers: async (numbers) => here(await contactsWithNumbers(statements, workspace, numbers)),
    lastIds: async (keys) => {
      const rows = await statements.all(LAST_IDS, workspace, keys.map(storedKey), instance);
      const filed = rows.map(
        (row) => [keyOfStored(text(row, 'key')), id(row, 'last_message_id', 'msg')] as const,
      );
      return laterOf(new Map(filed), latest);
    },
    groupNames: async (groupIds) => {
      const uuids = groupIds.map((groupId) => uuidOf('grp', groupId));
      const rows = await statements.all(GROUP_NAMES, uuids, instance);
      return new Map(rows.map((row) => [id(row, 'id', 'grp'), text(row, 'name')]));
    },
  };
}

async function currentContacts(
  { all }: Statements,
  workspace: string | null,
  ids: readonly string[],
): Promise<readonly Contact[]> {
  const uuids = ids.map((contactId) => uuidToFind('con', contactId));
  return (await all(CURRENT, uuids, workspace)).map(entities.contact.read);
}

async function chatIds(
  { all }: Statements,
  workspace: string | null,
  targets: readonly ChatTarget[],
): Promise<readonly number[]> {
  const rows = await all(
    CHAT_IDS,
    workspace,
    targets.map(({ key }) => storedKey(key)),
    targets.map(({ instanceId }) => (instanceId === null ? null : uuidToFind('ins', instanceId))),
  );
  return [...new Set(rows.map((row) => integer(row, 'id')))];
}

/** A table that is walked along an index on its owner column and a message id. */
interface Walked {
  readonly table: string;
  readonly owner: string;
  readonly type: string;
  readonly id: string;
}

const CHAT_MESSAGES: Walked = {
  table: 'trunkline.chat_messages',
  owner: 'chat_id',
  type: 'bigint',
  id: 'id',
};

const CHATS: Walked = {
  table: 'trunkline.chats',
  owner: 'instance_id',
  type: 'uuid',
  id: 'last_message_id',
};

interface Step {
  readonly bound: IdBound | null;
  readonly order: PagePlan['order'];
  readonly count: number;
}

/**
 * Takes the first rows of each owner in `$1`, then the first of all these rows. Compares owner and id together, so that
 * the planner can use no other index. The limit is part of the text; see page.ts.
 */
function walk({ table, owner, type, id: idColumn }: Walked, { bound, order, count }: Step): string {
  const condition = bound
    ? `(item.${owner}, item.${idColumn}) ${bound.sign} (part.owner, $2::uuid)
       AND (item.${owner}, item.${idColumn}) ${bound.sign.startsWith('<') ? `>= (part.owner, ${LOWEST})` : `<= (part.owner, ${HIGHEST})`}`
    : `(item.${owner}, item.${idColumn}) >= (part.owner, ${LOWEST}) AND (item.${owner}, item.${idColumn}) <= (part.owner, ${HIGHEST})`;
  return `
    SELECT walked.* FROM unnest($1::${type}[]) AS part (owner)
    CROSS JOIN LATERAL (
      SELECT item.${idColumn} AS id FROM ${table} AS item
      WHERE ${condition}
      ORDER BY item.${owner} ${order}, item.${idColumn} ${order} LIMIT ${count}
    ) AS walked
    ORDER BY walked.id ${order} LIMIT ${count}`;
}

const LOWEST = "'00000000-0000-0000-0000-000000000000'::uuid";
const HIGHEST = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

function idIn(bound: IdBound | null): readonly string[] {
  return bound ? [uuidOf('msg', bound.id)] : [];
}

const CURRENT = `
  SELECT contact.* FROM unnest($1::uuid[]) AS asked (id)
  CROSS JOIN LATERAL (
    SELECT contact.* FROM trunkline.contacts AS given
    JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
    WHERE given.id = asked.id AND contact.workspace_id = $2 LIMIT 1
  ) AS contact`;

/**
 * CHAT_IDS and LAST_IDS rely on chats_by_key. Each key is looked up separately, because with a list of keys the planner
 * may choose the index of an instance's chats instead.
 */
const CHAT_IDS = `
  SELECT chat.id FROM unnest($2::text[], $3::uuid[]) AS target (key, instance_id)
  CROSS JOIN LATERAL (
    SELECT chats.id FROM trunkline.chats
    WHERE chats.workspace_id = $1 AND chats.key = target.key
      AND chats.instance_id >= coalesce(target.instance_id, ${LOWEST})
      AND chats.instance_id <= coalesce(target.instance_id, ${HIGHEST})
    ORDER BY chats.workspace_id, chats.key, chats.instance_id
  ) AS chat`;
const LAST_IDS = `
  SELECT chat.* FROM unnest($2::text[]) AS asked (key)
  CROSS JOIN LATERAL (
    SELECT chats.key, chats.last_message_id FROM trunkline.chats
    WHERE chats.workspace_id = $1 AND chats.key = asked.key AND chats.instance_id = $3
    ORDER BY chats.workspace_id, chats.key, chats.instance_id LIMIT 1
  ) AS chat`;

const GROUP_NAMES = `
  SELECT id, name FROM trunkline.instance_groups WHERE id = ANY ($1::uuid[]) AND instance_id = $2`;
