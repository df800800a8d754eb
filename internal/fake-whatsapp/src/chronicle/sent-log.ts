import type { Content } from '../messages/content.ts';

interface QuotedMessage {
  readonly id: string;
  /** The jid of the author that the quote names. */
  readonly author: string;
  readonly text: string;
}

/** One message stanza as a client sent it. A resend is a second entry with the same id. */
export interface SentMessage {
  /** The network id that the client chose. */
  readonly id: string;
  /** The sending account's phone number. */
  readonly from: string;
  /** The address that the client used. */
  readonly to: string;
  /** The recipient's phone number, or null for a group. */
  readonly toPhoneNumber: string | null;
  readonly content: Content;
  /** The quoted message, as the recipient's phone shows it. */
  readonly quotes: QuotedMessage | null;
  /** The phone numbers of recipients who could decrypt the message on at least one device. */
  readonly readableBy: readonly string[];
  /**
   * The recipients' devices that could decrypt the message: `5511988887777:0` is the phone, higher numbers are linked
   * devices.
   */
  readonly readableOn: readonly string[];
  /** The attribute `edit` of the stanza, which names a change of an earlier message; null without one. */
  readonly edit: string | null;
  /** Seconds until the message disappears; null if it stays. */
  readonly timer: number | null;
  /** The error code of the refusal; null if accepted. */
  readonly refused: number | null;
  readonly receivedAt: number;
}

export interface MessageMatch {
  /** The sending account's phone number. */
  readonly from?: string;
  readonly id?: string;
}

interface Wait {
  readonly match: MessageMatch;
  readonly resolve: (message: SentMessage) => void;
  readonly reject: (error: Error) => void;
}

/** The clients' messages. `next` returns each message once. */
export class SentLog {
  readonly #messages: SentMessage[] = [];
  #unread: SentMessage[] = [];
  #waits: Wait[] = [];

  add(message: SentMessage): void {
    this.#messages.push(message);
    const wait = this.#waits.find(({ match }) => fits(message, match));
    if (wait === undefined) {
      this.#unread.push(message);
      return;
    }
    this.#waits = this.#waits.filter((other) => other !== wait);
    wait.resolve(message);
  }

  all(match: MessageMatch = {}): readonly SentMessage[] {
    return this.#messages.filter((message) => fits(message, match));
  }

  next(match: MessageMatch = {}): Promise<SentMessage> {
    const found = this.#unread.find((message) => fits(message, match));
    if (found !== undefined) {
      this.#unread = this.#unread.filter((message) => message !== found);
      return Promise.resolve(found);
    }
    return new Promise((resolve, reject) => this.#waits.push({ match, resolve, reject }));
  }

  close(): void {
    for (const { match, reject } of this.#waits) {
      reject(
        new Error(`the fake WhatsApp was stopped while a test waited for a message ${JSON.stringify(match)}`),
      );
    }
    this.#waits = [];
  }
}

function fits(message: SentMessage, { from, id }: MessageMatch): boolean {
  return (from === undefined || message.from === from) && (id === undefined || message.id === id);
}
