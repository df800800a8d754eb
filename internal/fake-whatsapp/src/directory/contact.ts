import { jidEncode } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { SERVER } from '../stanza.ts';
import { SignalPeer } from '../signal/signal-peer.ts';
import type { Content } from '../messages/content.ts';

export interface ContactOptions {
  readonly name?: string;
  /** The hidden id, digits. Made up where left out; null where the network knows none. */
  readonly lid?: string | null;
  /** False: the number has no WhatsApp. True by default. */
  readonly onWhatsApp?: boolean;
  /** True: messages from this person come from the LID, without a phone number. */
  readonly hidesNumber?: boolean;
  /** The name by which people without the number find this person. */
  readonly username?: string;
  /** The name that the network has certified, of a business. */
  readonly verifiedName?: string;
  readonly pictureUrl?: string;
}

export interface ReceivedMessage {
  readonly id: string;
  /** The phone number of the account that sent it. */
  readonly from: string;
  /** The group's jid, or null. */
  readonly group: string | null;
  readonly content: Content;
}

export interface SentFromPhone {
  /** The attributes of its stanza. */
  readonly envelope: Readonly<Record<string, string>>;
  readonly message: proto.IMessage;
  /** False: the phone stays silent when a client could not read it. */
  readonly respondsToRetry: boolean;
}

export type AddressingMode = 'pn' | 'lid';

/** Someone with a phone that encrypts and decrypts for real. */
export class Contact {
  readonly phoneNumber: string;
  readonly name: string;
  readonly lid: string | undefined;
  readonly onWhatsApp: boolean;
  readonly hidesNumber: boolean;
  readonly username: string | undefined;
  readonly verifiedName: string | undefined;
  readonly pictureUrl: string | undefined;
  #device: SignalPeer | undefined;
  /** What the phone shows: a message that arrives twice is one. */
  readonly inbox = new Map<string, ReceivedMessage>();
  /** By network id, for a client that could not read it. */
  readonly sent = new Map<string, SentFromPhone>();
  /** How often the phone has asked for a message again that it could not read, by network id. */
  readonly retries = new Map<string, number>();

  constructor(phoneNumber: string, options: ContactOptions = {}) {
    if (!/^\d{5,15}$/.test(phoneNumber)) throw new Error(`not a phone number: ${phoneNumber}`);
    this.phoneNumber = phoneNumber;
    this.name = options.name ?? 'Someone';
    this.lid = options.lid === undefined ? madeUpLid(phoneNumber) : (options.lid ?? undefined);
    this.onWhatsApp = options.onWhatsApp ?? true;
    this.hidesNumber = options.hidesNumber ?? false;
    this.username = options.username;
    this.verifiedName = options.verifiedName;
    this.pictureUrl = options.pictureUrl;
  }

  /** Its phone's end of Signal sessions, made when it is first needed: there may be tens of thousands of people. */
  get device(): SignalPeer {
    this.#device ??= new SignalPeer();
    return this.#device;
  }

  get jid(): string {
    return jidEncode(this.phoneNumber, SERVER);
  }

  get lidJid(): string | undefined {
    return this.lid === undefined ? undefined : jidEncode(this.lid, 'lid');
  }

  /** As this side addresses the person; the phone number where there is no LID. */
  jidIn(mode: AddressingMode, device?: number): string {
    if (mode === 'lid' && this.lid !== undefined) return jidEncode(this.lid, 'lid', device);
    return jidEncode(this.phoneNumber, SERVER, device);
  }
}

function madeUpLid(phoneNumber: string): string {
  return String(10n ** 14n + BigInt(phoneNumber));
}
