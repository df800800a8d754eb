import { randomBytes } from 'node:crypto';
import type { RequiredPasskey } from '../pairing/software-passkey.ts';
import { PreKeyShelf } from '../signal/pre-key-shelf.ts';
import { Contact } from './contact.ts';
import { Inbox } from './inbox.ts';
import { PhoneHistory } from './phone-history.ts';
import { SharedState } from './shared-state.ts';
import { Standing } from './standing.ts';

export class LinkedAccount extends Contact {
  readonly companions = new Map<number, Companion>();
  readonly standing: Standing = new Standing();
  /** The passkey without which no client is linked; null if none is needed. */
  passkey: RequiredPasskey | null = null;
  /** The phone numbers to which its clients have given tokens; one entry for each token. */
  readonly tokensGiven: string[] = [];
  /** The salt of the tokens by which the network recognises whom the account knows; null if the phone removed it. */
  nctSalt: Buffer | null = randomBytes(32);
  /** Whether the authors of messages see that the account has read them: a setting of the phone. */
  sharesReadReceipts = true;
  /** The people whom the account has blocked. */
  readonly blocked: Set<Contact> = new Set();
  /** Whether clients have the keys of what the account's devices share. */
  isStateShared = false;
  #state: SharedState | undefined;
  /** The chats on the phone, which it sends to clients that are linked. */
  readonly history: PhoneHistory = new PhoneHistory();
  #devices = 0;

  newCompanion(identity: Uint8Array, noiseKey: Uint8Array): Companion {
    this.#devices += 1;
    return new Companion(this, this.#devices, { identity, noiseKey });
  }

  /** The state that the account's devices share. */
  get state(): SharedState {
    this.#state ??= new SharedState(this.nctSalt);
    return this.#state;
  }

  /** The clients for which messages can be encrypted, without clients that ended before they uploaded their keys. */
  get reachable(): readonly Companion[] {
    return [...this.companions.values()].filter(({ shelf }) => shelf.isFilled);
  }

  /** The client that was linked last. Throws if there is none. */
  get companion(): Companion {
    const last = [...this.companions.values()].at(-1);
    if (last === undefined) throw new Error(`no client is linked to ${this.phoneNumber}`);
    return last;
  }
}

export class Companion {
  readonly account: LinkedAccount;
  /** Also the client's index among the keys of the account. */
  readonly device: number;
  readonly identity: Uint8Array;
  readonly noiseKey: Uint8Array;
  readonly shelf: PreKeyShelf;
  readonly inbox: Inbox = new Inbox();
  /** Set when the phone has sent its history, which happens once. */
  hasHistory = false;

  constructor(account: LinkedAccount, device: number, keys: { identity: Uint8Array; noiseKey: Uint8Array }) {
    this.account = account;
    this.device = device;
    this.identity = keys.identity;
    this.noiseKey = keys.noiseKey;
    this.shelf = new PreKeyShelf(keys.identity);
  }

  get jid(): string {
    return this.account.jidIn('pn', this.device);
  }

  get lidJid(): string {
    return this.account.jidIn('lid', this.device);
  }
}
