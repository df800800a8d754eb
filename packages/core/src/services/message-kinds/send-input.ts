/** The fields of all messages. */
export interface CommonSendInput {
  /** The instance that sends the message, `ins_…`. */
  readonly instance: string;
  /** A phone number, formatted or not, or the id of a group or of a contact, whose number may be unknown. */
  readonly to: string;
  /** The id of a message in the same chat, which the recipient sees quoted. */
  readonly reply_to?: string | null | undefined;
}
