import type { IdPrefix } from '@trunkline/core/spi/storage';
import type { AnyColumn, ColumnKind } from './columns.ts';
import { flag, id, integer, orNull, text, word } from './columns.ts';
import {
  ACTION_KEY,
  API_KEY,
  ATTEMPT,
  CONTACT,
  DELIVERY,
  DOWNLOAD_PLAN,
  ENDPOINT,
  ENDPOINT_HEALTH,
  EVENT,
  GROUP,
  HISTORY_ENTRY,
  IDEMPOTENCY_RECORD,
  INSTANCE,
  MEMBER,
  MESSAGE,
  MESSAGE_ACTION,
  VOTE,
  SUBSCRIPTION,
  WORKSPACE,
} from './entities.ts';

// The tables of a Trunkline database in any storage. `trunkline move` reads their rows from one storage and writes them
// to another. The columns of objects in entities.ts are included automatically.

/** A value on its way between two databases. JSON stays text, so that a move does not change it. */
export type MovedValue =
  string | number | boolean | readonly string[] | readonly number[] | Uint8Array | null;
export type MovedRow = Readonly<Record<string, MovedValue>>;

/**
 * The kind of a column: a kind of `Codecs`, bytes or a list of integers. A column of JSON has the kind `word`, because
 * its text is moved as it is.
 */
export type MovedKind = Exclude<ColumnKind, 'json'> | 'bytes' | 'integers';

export interface MovedColumn {
  readonly kind: MovedKind;
  /** The prefix of the ids in a column of kind `id`. */
  readonly prefix?: IdPrefix;
}

/** A table whose rows are moved. */
export interface MovedTable {
  readonly columns: Readonly<Record<string, MovedColumn>>;
  /** The columns that together identify a row. */
  readonly key: readonly string[];
}

type Columns = Readonly<Record<string, AnyColumn>>;

function columnsOf(...maps: readonly Columns[]): Readonly<Record<string, MovedColumn>> {
  const columns = maps.flatMap((map) => Object.values(map));
  return Object.fromEntries(
    columns.map(({ name, kind, prefix }) => [
      name,
      { kind: kind === 'json' ? 'word' : kind, ...(prefix && { prefix }) },
    ]),
  );
}

function named(...columns: readonly AnyColumn[]): Columns {
  return Object.fromEntries(columns.map((column) => [column.name, column]));
}

const BYTES: MovedColumn = { kind: 'bytes' };
const RETRY_ROUND = named(orNull(integer('retry_round_began_at')), orNull(integer('retry_round_called_at')));
const IN_QUEUE = named(
  id('instance_id', 'ins'),
  integer('position'),
  id('message_id', 'msg'),
  text('recipient'),
  integer('tries'),
  integer('due_at'),
);

/** Every moved table, in the order of the move. Each table follows all tables that its rows refer to. */
export const MOVED_TABLE_NAMES = [
  'settings',
  'workspaces',
  'members',
  'api_keys',
  'instances',
  'instance_history',
  'instance_notifications',
  'session_values',
  'instance_groups',
  'contacts',
  'contact_network_ids',
  'contact_numbers',
  'messages',
  'message_actions',
  'poll_votes',
  'queued_messages',
  'held_messages',
  'scheduled_messages',
  'idempotency_records',
  'activity_keys',
  'contents',
  'instances_with_leftovers',
  'pending_downloads',
  'endpoints',
  'deleted_endpoints',
  'notices',
  'lanes',
  'closings',
  'events',
  'event_log',
  'deliveries',
  'attempts',
  'subscriptions',
  'queued_events',
  'spent_tokens',
  'instance_traffic',
  'webhook_traffic',
  'workspace_traffic',
] as const;

export type MovedTableName = (typeof MOVED_TABLE_NAMES)[number];

/** Each storage lists the tables that it does not move, with reasons, in its `NOT_MOVED`. */
const MOVED_TABLES: Readonly<Record<MovedTableName, MovedTable>> = {
  settings: { columns: columnsOf(named(text('name'), text('value'))), key: ['name'] },
  workspaces: { columns: columnsOf(WORKSPACE, named(flag('is_postponed'))), key: ['id'] },
  members: { columns: columnsOf(MEMBER), key: ['id'] },
  api_keys: { columns: columnsOf(API_KEY), key: ['id'] },
  // The epoch is moved without its lease, so that no epoch repeats.
  instances: {
    columns: columnsOf(
      INSTANCE,
      named(integer('lease_epoch'), text('lease_lost_by'), integer('new_people_from'), integer('new_people')),
    ),
    key: ['id'],
  },
  instance_history: { columns: columnsOf(HISTORY_ENTRY), key: ['id'] },
  instance_notifications: {
    columns: columnsOf(named(id('id', 'ntc'), word('notification'), integer('owed_at'))),
    key: ['id'],
  },
  session_values: {
    columns: { ...columnsOf(named(id('instance_id', 'ins'), text('name'))), value: BYTES },
    key: ['instance_id', 'name'],
  },
  instance_groups: { columns: columnsOf(GROUP), key: ['id'] },
  contacts: { columns: columnsOf(CONTACT, named(orNull(id('merged_into', 'con')))), key: ['id'] },
  contact_network_ids: {
    columns: columnsOf(named(id('instance_id', 'ins'), text('network_id'), id('contact_id', 'con'))),
    key: ['instance_id', 'network_id'],
  },
  contact_numbers: {
    columns: columnsOf(
      named(id('workspace_id', 'ten'), text('number'), id('instance_id', 'ins'), id('contact_id', 'con')),
    ),
    key: ['workspace_id', 'number', 'instance_id'],
  },
  messages: {
    columns: columnsOf(
      MESSAGE,
      named(text('sender_id'), orNull(id('contact_id', 'con')), orNull(word('details'))),
    ),
    key: ['id'],
  },
  message_actions: {
    columns: columnsOf(MESSAGE_ACTION, {
      key: orNull(ACTION_KEY.key),
      fingerprint: orNull(ACTION_KEY.fingerprint),
    }),
    key: ['id'],
  },
  poll_votes: { columns: columnsOf(VOTE), key: ['id'] },
  // The entries of actions are named by ids of messages, too (`actionEntryId`).
  queued_messages: { columns: columnsOf(IN_QUEUE), key: ['instance_id', 'position'] },
  held_messages: {
    columns: columnsOf(IN_QUEUE, named(orNull(integer('held_since')))),
    key: ['message_id'],
  },
  scheduled_messages: {
    columns: columnsOf(
      named(
        id('id', 'msg'),
        id('message_id', 'msg'),
        id('workspace_id', 'ten'),
        id('instance_id', 'ins'),
        text('recipient'),
      ),
    ),
    key: ['id'],
  },
  idempotency_records: {
    columns: columnsOf(named(id('workspace_id', 'ten')), IDEMPOTENCY_RECORD),
    key: ['workspace_id', 'key'],
  },
  spent_tokens: { columns: columnsOf(named(text('id'), integer('kept_until'))), key: ['id'] },
  activity_keys: {
    columns: columnsOf(named(id('instance_id', 'ins'), text('key'), integer('recorded_at'))),
    key: ['instance_id', 'key'],
  },
  contents: {
    columns: columnsOf(
      // `message_id` is text, because it is the id of a message or of an upload, which have different prefixes.
      named(
        text('message_id'),
        integer('begun_at'),
        orNull(id('instance_id', 'ins')),
        orNull(id('owner_id', 'msg')),
      ),
    ),
    key: ['message_id'],
  },
  instances_with_leftovers: { columns: columnsOf(named(id('instance_id', 'ins'))), key: ['instance_id'] },
  pending_downloads: {
    columns: { ...columnsOf(DOWNLOAD_PLAN), sealed_reference: BYTES },
    key: ['instance_id', 'message_id'],
  },
  endpoints: { columns: columnsOf(ENDPOINT, ENDPOINT_HEALTH), key: ['id'] },
  deleted_endpoints: {
    columns: columnsOf(named(id('id', 'wh'), text('url'), integer('deleted_at'))),
    key: ['id'],
  },
  notices: {
    columns: columnsOf(named(id('id', 'ntc'), word('notice'), integer('owed_at'))),
    key: ['id'],
  },
  lanes: {
    columns: {
      ...columnsOf(
        named(
          id('endpoint_id', 'wh'),
          id('workspace_id', 'ten'),
          integer('generation'),
          integer('ready_from'),
          flag('is_paused'),
        ),
        RETRY_ROUND,
      ),
      starts: { kind: 'integers' },
    },
    key: ['endpoint_id'],
  },
  closings: {
    columns: columnsOf(
      // Claimed deliveries are queued after the move, so each cancellation may have deliveries to sweep.
      named(id('endpoint_id', 'wh'), integer('generation'), word('reason'), flag('to_sweep')),
    ),
    key: ['endpoint_id', 'generation'],
  },
  events: { columns: columnsOf(EVENT, named(orNull(word('traceparent')))), key: ['id'] },
  event_log: {
    columns: columnsOf(
      named(
        id('workspace_id', 'ten'),
        id('id', 'evt'),
        word('type'),
        orNull(id('instance_id', 'ins')),
        orNull(id('message_id', 'msg')),
      ),
    ),
    key: ['workspace_id', 'id'],
  },
  deliveries: {
    columns: columnsOf(
      DELIVERY,
      // The place of an open delivery in the queue. A claimed delivery becomes due when its lease would have ended.
      named(integer('generation'), orNull(integer('due_at')), integer('lost_claims')),
    ),
    key: ['id'],
  },
  attempts: {
    columns: columnsOf(named(id('delivery_id', 'whd')), ATTEMPT),
    key: ['delivery_id', 'number'],
  },
  subscriptions: { columns: columnsOf(SUBSCRIPTION, RETRY_ROUND), key: ['id'] },
  queued_events: {
    columns: columnsOf(
      named(
        id('event_id', 'evt'),
        id('subscription_id', 'sub'),
        word('event_type'),
        orNull(integer('due_at')),
        integer('attempts'),
        integer('lost_claims'),
        // Shows that the event was claimed, so that the next claim counts the earlier claim as lost.
        orNull(integer('token')),
        orNull(integer('exhausted_at')),
      ),
    ),
    key: ['event_id', 'subscription_id'],
  },
  instance_traffic: counted('instance_id', 'ins'),
  webhook_traffic: counted('webhook_id', 'wh'),
  workspace_traffic: counted('workspace_id', 'ten'),
};

/** A table of counts over time. */
function counted(column: string, prefix: IdPrefix): MovedTable {
  return {
    columns: columnsOf(named(id(column, prefix), integer('quarter'), word('counts'))),
    key: [column, 'quarter'],
  };
}

export function movedTable(name: MovedTableName): MovedTable {
  return MOVED_TABLES[name];
}
