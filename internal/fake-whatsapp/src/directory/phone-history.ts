import type { AddressingMode, Contact } from './contact.ts';
import type { TrustToken } from './trust-tokens.ts';

interface KnownChat {
  readonly contact: Contact;
  readonly token: TrustToken;
  /** How the chat is named. */
  readonly addressing: AddressingMode;
}

/** The part of a phone's chats that is of interest to a client. */
export class PhoneHistory {
  /** The chats with people who have given the account a token. */
  readonly known: KnownChat[] = [];
  /** How many more chats the phone has, each with some messages. */
  otherChats = 20;
}
