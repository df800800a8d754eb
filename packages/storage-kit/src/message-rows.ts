import { orderOfId } from '@trunkline/core/spi/storage';
import type { ContactSummary, Message } from '@trunkline/core/spi/storage';
import type { Codecs } from './codec.ts';
import { rowMapper } from './columns.ts';
import type { RowMapper } from './columns.ts';
import { MESSAGE, MESSAGE_CONTENT, MESSAGE_PROGRESS, MESSAGE_STATE } from './entities.ts';
import type { MessageDetails } from './entities.ts';
import { wrongColumn } from './row-reader.ts';
import type { Row } from './row-reader.ts';

/** Some of the columns of a message, for writing only. */
export type MessageColumns<Stored> = Pick<RowMapper<Message, Stored>, 'kinds' | 'columns'>;

/**
 * A message as a row, with a column for each field that most messages have, and `contact_id` for its contact. Fields
 * that few messages have are JSON in `details`, which is null if all these fields have their usual values.
 */
export interface MessageRows<Stored> {
  readonly message: MessageColumns<Stored> & {
    /** The current contact must be passed, because the row holds only the contact's id. */
    readonly read: (row: Row, contact: ContactSummary | null) => Message;
    /** When a queued message was accepted or, if it was scheduled, its time. Needs only `details` of the row. */
    readonly queuedSince: (row: Row, messageId: string) => number;
  };
  /** All columns except those of the workspace and the instance. */
  readonly messageContent: MessageColumns<Stored>;
  /** The columns that change after the message was created. */
  readonly messageState: MessageColumns<Stored>;
  /** The columns that change after creation, except those of content. */
  readonly messageProgress: MessageColumns<Stored>;
}

export function messageRows<Stored>(codecs: Codecs<Stored>): MessageRows<Stored> {
  const message = rowMapper(MESSAGE, codecs);
  const content = rowMapper(MESSAGE_CONTENT, codecs);
  const state = rowMapper(MESSAGE_STATE, codecs);
  const contactId = codecs.id('con');

  const detailsColumn = (of: Message): Stored | null => {
    const details = unusualDetails(of);
    return details && codecs.json.write(details);
  };
  const contactColumn = ({ contact }: Message): Stored | null => contact && contactId.write(contact.id);
  const readDetails = (row: Row): Partial<MessageDetails> => {
    const stored = row['details'];
    if (stored === null) return {};
    const details = codecs.json.read(stored);
    if (typeof details === 'object' && details !== null) return details; // `unusualDetails` wrote it
    throw wrongColumn(row, 'details');
  };

  return {
    message: {
      kinds: { ...message.kinds, contact_id: 'id', details: 'json' },
      columns: (of) => ({
        ...message.columns(of),
        contact_id: contactColumn(of),
        details: detailsColumn(of),
      }),
      read: (row, contact) => {
        const own = message.read(row);
        return { ...own, contact, ...usualDetails(own), ...readDetails(row) };
      },
      queuedSince: (row, messageId) => Math.max(orderOfId('msg', messageId).ms, readDetails(row).sendAt ?? 0),
    },
    messageContent: {
      kinds: { ...content.kinds, contact_id: 'id', details: 'json' },
      columns: (of) => ({
        ...content.columns(of),
        contact_id: contactColumn(of),
        details: detailsColumn(of),
      }),
    },
    messageState: {
      kinds: { ...state.kinds, details: 'json' },
      columns: (of) => ({ ...state.columns(of), details: detailsColumn(of) }),
    },
    messageProgress: rowMapper(MESSAGE_PROGRESS, codecs),
  };
}

function usualDetails({ type, direction }: Pick<Message, 'type' | 'direction'>): MessageDetails {
  return {
    replyTo: null,
    sendAt: null,
    kind: type,
    payload: null,
    origin: direction === 'outbound' ? 'api' : null,
    editedAt: null,
    deletedAt: null,
    traceparent: null,
  };
}

/** Returns null for most messages, whose details then take no time or space to store. */
function unusualDetails(message: Message): Partial<MessageDetails> | null {
  const usual = usualDetails(message);
  const { replyTo, sendAt, kind, payload, origin, editedAt, deletedAt, traceparent } = message;
  const details = {
    ...(replyTo !== usual.replyTo && { replyTo }),
    ...(sendAt !== usual.sendAt && { sendAt }),
    ...(kind !== usual.kind && { kind }),
    ...(payload !== usual.payload && { payload }),
    ...(origin !== usual.origin && { origin }),
    ...(editedAt !== usual.editedAt && { editedAt }),
    ...(deletedAt !== usual.deletedAt && { deletedAt }),
    ...(traceparent !== usual.traceparent && { traceparent }),
  };
  return Object.keys(details).length === 0 ? null : details;
}
