/** The fields of all messages. */
export interface CommonSendInput {
  /** The instance that sends the message, `ins_…`. */
  readonly instance: string;
  /** A phone number, formatted or not, or the id of a group or of a contact, whose number may be unknown. */
  readonly to: string;
  /** The id of a message in the same chat, which the recipient sees quoted. */
  readonly reply_to?: string | null | undefined;
  /**
   * When to send the message: an ISO 8601 time with its zone, such as `2026-12-24T18:00:00+01:00`, at most 30 days ahead.
   * By default, and up to a minute after that time, the message is sent immediately.
   */
  readonly send_at?: string | null | undefined;
}

/** The fields of messages whose request has a `payload` and no file. */
export interface SendPayloadInput extends CommonSendInput {
  /** `text`, which such messages have as their `type`. May be left out. */
  readonly type?: 'text' | null | undefined;
}

/** The people whom a message mentions. */
export interface Mentions {
  /**
   * The people whom the text or the caption mentions: at most 256 phone numbers or ids of contacts, `con_…`. The text has
   * each as `@` and the digits of the number, or `@` and the id, which recipients see as a name that they can tap.
   */
  readonly mentions?: readonly string[] | null | undefined;
}
