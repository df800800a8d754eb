import { AwaitableLog } from './awaitable-log.ts';
import { SentLog } from './sent-log.ts';
import { Transcript } from './transcript.ts';

/** A receipt that a client sent for messages that it received. */
export interface ReceivedReceipt {
  /** The account's phone number. */
  readonly from: string;
  readonly to: string;
  readonly ids: readonly string[];
  /** `delivered` if the stanza has no type; otherwise its type: `inactive`, `read`, `retry`, `sender`, … */
  readonly type: string;
}

/** An event of a client, which tests can wait for. */
export interface Action {
  readonly type:
    | 'qr_offered'
    | 'code_requested'
    | 'paired'
    /** Logged in; offline messages are on their way. */
    | 'online'
    | 'offline'
    | 'login_refused'
    /** The client unlinked itself. */
    | 'companion_removed';
  /** The account's phone number; null before pairing. */
  readonly account: string | null;
}

/** A fault that the server caused to a client at a test's request. */
export interface Disturbed {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The account's phone number. */
  readonly account: string;
  /** A message that was refused or lost, a query that was refused, or the connection that was dropped. */
  readonly what: 'message' | 'query' | 'connection';
}

export class Chronicle {
  readonly transcript: Transcript = new Transcript();
  readonly sent: SentLog = new SentLog();
  readonly receipts: AwaitableLog<ReceivedReceipt> = new AwaitableLog();
  readonly actions: AwaitableLog<Action> = new AwaitableLog();
  readonly disturbed: Disturbed[] = [];
  /** Stanzas that a client should not have sent. */
  readonly problems: string[] = [];

  close(): void {
    this.sent.close();
    this.receipts.close();
    this.actions.close();
  }
}
