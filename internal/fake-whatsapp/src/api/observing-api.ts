import type { Action, Disturbed, ReceivedReceipt } from '../chronicle/chronicle.ts';
import type { SentMessage } from '../chronicle/sent-log.ts';
import { formatTranscript } from '../chronicle/transcript.ts';
import type { TranscriptEntry } from '../chronicle/transcript.ts';
import type { Network } from '../network.ts';
import type { Account } from './directory-api.ts';

interface MessageMatch {
  readonly from?: Account;
  /** The network id. */
  readonly id?: string;
}

export interface ObservingApi {
  /** Every message stanza so far, in order of arrival. */
  sentMessages(match?: MessageMatch): readonly SentMessage[];
  /** Returns the earliest message that no call has returned yet, and waits for one if necessary. */
  nextMessage(match?: MessageMatch): Promise<SentMessage>;
  receipts(from?: Account): readonly ReceivedReceipt[];
  /** Returns the first receipt that a client sends for this message, past or future; of this type, if given. */
  receiptFor(id: string, type?: string): Promise<ReceivedReceipt>;
  /** Waits for the first such action after the call. */
  next(type: Action['type'], account?: Account): Promise<Action>;
  /**
   * The faults caused so far, and the clients that they hit: `refuseQueries`, for example, hits whichever client
   * queries next.
   */
  disturbed(): readonly Disturbed[];
  /** The stanzas on the wire, decrypted. */
  transcript(): readonly TranscriptEntry[];
  transcriptText(): string;
  /**
   * Returns the problems that no call has returned yet: client stanzas that the server does not know or could not
   * verify.
   */
  takeProblems(): readonly string[];
  /** Throws if `takeProblems` would return any problems. */
  assertClean(): void;
}

export function observingApi({ chronicle }: Network): ObservingApi {
  const { sent, receipts, actions, disturbed, transcript, problems } = chronicle;
  const matching = ({ from, id }: MessageMatch = {}) => ({
    ...(from === undefined ? {} : { from: from.phoneNumber }),
    ...(id === undefined ? {} : { id }),
  });
  return {
    sentMessages: (match) => sent.all(matching(match)),
    nextMessage: (match) => sent.next(matching(match)),
    receipts: (from) =>
      receipts.entries.filter((receipt) => from === undefined || receipt.from === from.phoneNumber),
    receiptFor: (id, type) =>
      receipts.first(
        `a receipt for ${id}`,
        (receipt) => receipt.ids.includes(id) && (type === undefined || receipt.type === type),
      ),
    next: (type, account) =>
      actions.next(
        type,
        (action) => action.type === type && (account === undefined || action.account === account.phoneNumber),
      ),
    disturbed: () => disturbed,
    transcript: () => transcript.entries,
    transcriptText: () => formatTranscript(transcript.entries),
    takeProblems: () => problems.splice(0),
    assertClean: () => {
      if (problems.length > 0) throw new Error(`a client did what it should not:\n${problems.join('\n')}`);
    },
  };
}
