import type { SQLInputValue } from 'node:sqlite';
import { entityRows, PLAIN_CODECS, rowReader, senderRows } from '@trunkline/storage-kit';
import type { Codecs, EntityRows, RowReader, SenderRows } from '@trunkline/storage-kit';

export type { Row } from '@trunkline/storage-kit';

/** A parameter for bytes, even for empty bytes, which Node 22 binds as NULL. */
export const BYTES = "coalesce(?, x'')";

const CODECS: Codecs<SQLInputValue> = PLAIN_CODECS;

export const entities: EntityRows<SQLInputValue> = entityRows(CODECS);
export const senders: SenderRows = senderRows(CODECS);

const reader = rowReader(CODECS);
export const text: RowReader['text'] = reader.text;
export const textOrNull: RowReader['textOrNull'] = reader.textOrNull;
export const flag: RowReader['flag'] = reader.flag;
export const integer: RowReader['integer'] = reader.integer;
export const integerOrNull: RowReader['integerOrNull'] = reader.integerOrNull;
export const bytes: RowReader['bytes'] = reader.bytes;
export const word: RowReader['word'] = reader.word;
export const json: RowReader['json'] = reader.json;
