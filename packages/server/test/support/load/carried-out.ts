import type { NetworkRecord } from '@trunkline/core/sandbox';
import { DatabaseSync } from '../../../src/database/node-sqlite.ts';
import { editedWordsOf, isEdited, isWhole, placeInOrder, receiverOf, senderOf, stepOf } from './step.ts';
import type { Content, Deed } from './step.ts';

/** All that the network accepted from instances. */
export interface CarriedOut {
  /** The steps whose messages were sent, once for each message. */
  readonly sent: readonly string[];
  /** Messages without their whole content, and edits to other words than those given. */
  readonly maimed: readonly CarriedOutRecord[];
  readonly contents: ReadonlySet<Content>;
  /** The steps whose messages were edited before they were sent, so that the network saw no edit. */
  readonly editedBefore: readonly string[];
  /** `<deed> <step>` once for each action. */
  readonly acts: readonly string[];
  /** The network's ids of the messages that were marked as read, once for each mark that covers them. */
  readonly markedRead: readonly string[];
  /**
   * For each chat, the places in order of its messages and actions, as they came. An action comes right behind its
   * message, in the order of the actions on it.
   */
  readonly orders: readonly (readonly number[])[];
}

type SentRecord = Extract<NetworkRecord, { kind: 'accepted' }>;
type ActedRecord = Extract<NetworkRecord, { kind: 'acted' }>;
export type CarriedOutRecord = SentRecord | ActedRecord;

/** Makes sense of the records of messages and actions, oldest first. */
export function carriedOutBy(records: readonly CarriedOutRecord[]): CarriedOut {
  const sent = records.filter((record) => record.kind === 'accepted');
  const acted = records.filter((record) => record.kind === 'acted');
  const byNetworkId = new Map(sent.map((record) => [record.networkId, senderOf(record)]));
  const stepOfRecord = (record: CarriedOutRecord): string => {
    if (record.kind === 'accepted') return senderOf(record);
    return record.deed.kind === 'read_mark'
      ? receiverOf(record.about)
      : (byNetworkId.get(record.about) ?? '');
  };
  const place = (record: CarriedOutRecord): number => {
    const name = stepOfRecord(record);
    const behind = record.kind === 'acted' ? 0.25 * (1 + stepOf(name).deeds.indexOf(deedOf(record))) : 0;
    return placeInOrder(name) + behind;
  };
  const isMaimedEdit = (record: ActedRecord): boolean =>
    record.deed.kind === 'edit' && record.deed.text !== editedWordsOf(stepOfRecord(record));
  return {
    sent: sent.map(senderOf),
    maimed: [...sent.filter((record) => !isWhole(record)), ...acted.filter(isMaimedEdit)],
    contents: new Set(sent.map((record) => stepOf(senderOf(record)).content)),
    editedBefore: sent.filter(isEdited).map(senderOf),
    acts: acted.map((record) => `${deedOf(record)} ${stepOfRecord(record)}`),
    markedRead: acted.flatMap(({ about, deed }) =>
      deed.kind === 'read_mark' ? [about, ...deed.earlier.map(({ networkId }) => networkId)] : [],
    ),
    orders: [...Map.groupBy(records, ({ instanceId, to }) => `${instanceId} ${to}`).values()].map((chat) =>
      chat.map(place),
    ),
  };
}

function deedOf({ deed }: ActedRecord): Deed {
  return deed.kind === 'reaction' && deed.emoji === null ? 'removal' : deed.kind;
}

export interface RecordReader {
  /** Reads the records that were written since the call before. No process may have the network. */
  read(): void;
  /** All that were read: the messages and actions that the network accepted, in this order. */
  readonly records: readonly CarriedOutRecord[];
}

/** Reads the journal of the network as it grows, because it keeps the latest records alone. */
export function createRecordReader(networkFile: string): RecordReader {
  const records: CarriedOutRecord[] = [];
  let last = 0;
  return {
    records,
    read() {
      const database = new DatabaseSync(networkFile);
      const news = database.prepare(
        "SELECT number, record FROM fact WHERE number > ? AND kind IN ('accepted', 'acted') ORDER BY number",
      );
      for (const { number, record } of news.iterate(last)) {
        records.push(JSON.parse(String(record)) as CarriedOutRecord); // as the journal wrote it
        last = Number(number);
      }
      database.close();
    },
  };
}
