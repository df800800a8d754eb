import type { Instance, Sender, SenderPart } from '@trunkline/core/spi/storage';
import type { Codecs } from './codec.ts';
import { rowReader } from './row-reader.ts';
import type { Row } from './row-reader.ts';

/**
 * Reads the rows that `keepSenders` keeps. Revisions are made of texts as stored in the database, so that an SQL
 * statement can compute the same revisions.
 */
export interface SenderRows {
  /** Reads the columns `plan` and `suspended_at` of a workspace. */
  readonly workspace: (row: Row) => SenderPart<Sender['workspace']>;
  /** Reads the columns `id`, `workspace_id`, `network`, `phone_number` and `capabilities` of an instance. */
  readonly instance: (row: Row) => SenderPart<NonNullable<Sender['instance']>>;
  /** Reads only the revision of a workspace. */
  readonly workspaceRevision: (row: Row) => string;
  readonly instanceRevision: (row: Row) => string;
}

export function senderRows(codecs: Codecs<unknown>): SenderRows {
  const { id, integerOrNull, json, jsonOrNull, text, textOrNull, word, wordOrNull } = rowReader(codecs);
  const workspaceRevision = (row: Row): string =>
    `${integerOrNull(row, 'suspended_at') ?? ''} ${word(row, 'plan')}`;
  const instanceRevision = (row: Row): string =>
    `${wordOrNull(row, 'phone_number') ?? ''} ${wordOrNull(row, 'capabilities') ?? ''}`;
  return {
    workspaceRevision,
    instanceRevision,
    // The facts are frozen, because all requests share them.
    workspace: (row) => ({
      facts: Object.freeze({
        plan: Object.freeze(json<Sender['workspace']['plan']>(row, 'plan')),
        suspendedAt: integerOrNull(row, 'suspended_at'),
      }),
      revision: workspaceRevision(row),
    }),
    instance: (row) => ({
      facts: Object.freeze({
        id: id(row, 'id', 'ins'),
        workspaceId: id(row, 'workspace_id', 'ten'),
        network: text(row, 'network'),
        phoneNumber: textOrNull(row, 'phone_number'),
        capabilities: frozen(jsonOrNull<Instance['capabilities']>(row, 'capabilities')),
      }),
      revision: instanceRevision(row),
    }),
  };
}

function frozen<List extends readonly unknown[] | null>(list: List): List {
  return Object.freeze(list);
}
