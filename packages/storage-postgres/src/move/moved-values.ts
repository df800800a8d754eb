import { idToUuid } from '@trunkline/core/spi/storage';
import { uuidIds } from '@trunkline/storage-kit';
import type {
  MovedColumn,
  MovedKind,
  MovedRow,
  MovedTableName,
  MovedValue,
  Row,
} from '@trunkline/storage-kit';
import { decodeText, encodeText } from '../rows/text-encoding.ts';

type Given = string | number | boolean | null;

/** How values of a kind are sent: in an array of `type`, whose elements the expression `read` turns into values. */
export const SENT_AS: Readonly<
  Record<
    MovedKind,
    { readonly type: 'uuid' | 'text' | 'bigint' | 'boolean'; readonly read: (name: string) => string }
  >
> = {
  id: { type: 'uuid', read: (name) => name },
  text: { type: 'text', read: (name) => name },
  word: { type: 'text', read: (name) => name },
  words: { type: 'text', read: (name) => `${name}::text[]` },
  integer: { type: 'bigint', read: (name) => name },
  integers: { type: 'text', read: (name) => `${name}::bigint[]` },
  flag: { type: 'boolean', read: (name) => name },
  bytes: { type: 'text', read: (name) => `decode(${name}, 'hex')` },
};

export function writeMoved({ kind, prefix }: MovedColumn, value: MovedValue): Given {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'string') return `{${value.join(',')}}`;
  if (kind === 'id' && prefix) return uuidIds(prefix).write(value);
  return kind === 'text' ? encodeText(value) : value;
}

/** Returns undefined if the column, as read by column-types.ts, does not hold a value of its kind. */
export function readMoved({ kind, prefix }: MovedColumn, stored: unknown): MovedValue | undefined {
  if (stored === null) return null;
  if (kind === 'words' || kind === 'integers')
    return Array.isArray(stored) ? (stored as readonly string[]) : undefined; // column-types.ts has checked its elements
  if (kind === 'bytes') return stored instanceof Uint8Array ? stored : undefined;
  if (kind === 'integer') return typeof stored === 'number' ? stored : undefined;
  if (kind === 'flag') return typeof stored === 'boolean' ? stored : undefined;
  if (typeof stored !== 'string') return undefined;
  if (kind === 'id' && prefix) return uuidIds(prefix).read(stored);
  return kind === 'text' ? decodeText(stored) : stored;
}

/** Replaces the prefix of a content id, which tells uploads from messages, with the column `is_upload`. */
export function contentToStore(row: MovedRow): MovedRow {
  const contentId = String(row['message_id']);
  const upload = idToUuid('upl', contentId);
  return { ...row, message_id: upload ?? uuidIds('msg').write(contentId), is_upload: upload !== null };
}

export function contentAsMoved(name: MovedTableName, row: Row): Row {
  if (name !== 'contents') return row;
  const prefix = row['is_upload'] === true ? 'upl' : 'msg';
  return { ...row, message_id: uuidIds(prefix).read(row['message_id']) };
}
