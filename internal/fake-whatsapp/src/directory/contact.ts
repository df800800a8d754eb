import { jidEncode } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { SERVER } from '../stanza.ts';
import { SignalPeer } from '../signal/signal-peer.ts';
import type { Content } from '../messages/content.ts';
import { TrustTokens } from './trust-tokens.ts';

export interface ContactOptions {
  readonly name?: string;
  /** The hidden id, digits. Made up if omitted; null if the network does not know the id. */
  readonly lid?: string | null;
  /** Whether the number has WhatsApp; true by default. */
  readonly onWhatsApp?: boolean;
  /** If true, messages from this person come from the LID, without a phone number. */
  readonly hidesNumber?: boolean;
  /** The name by which people without the number find this person. */
  readonly username?: string;
  /** The name of a business, certified by the network. */
  readonly verifiedName?: string;
  readonly pictureUrl?: string;
  /** The code with which the network refuses that someone adds this person to a group. By default, it does not. */
  readonly refusesGroups?: 401 | 403 | 408;
  /** How many devices the person has linked to the phone. None by default. */
  readonly linkedDevices?: number;
  /**
   * The form that addresses of messages to this person must have, because WhatsApp moves people from numbers to LIDs,
   * and then refuses messages to the number. By default, either form is accepted.
   */
  readonly writtenToBy?: AddressingMode | 'either';
  /**
   * Whether messages need a token that this person has given. The phone gives a token when it writes to an account, at
   * most once a week. With `any`, the token that an account makes of its salt is accepted, too: whatsmeow's
   * `cstoken.go`. False by default.
   */
  readonly needsToken?: boolean | 'any';
  /**
   * Whether this is a business that also writes through WhatsApp's Cloud API, from the device `HOSTED` of its number.
   * False by default.
   */
  readonly isHosted?: boolean;
}

export interface ReceivedMessage {
  readonly id: string;
  /** The phone number of the account that sent the message. */
  readonly from: string;
  readonly group: string | null;
  readonly content: Content;
}

export interface SentFromPhone {
  readonly envelope: Readonly<Record<string, string>>;
  readonly message: proto.IMessage;
  /** False if the phone stays silent when a client could not read the message. */
  readonly respondsToRetry: boolean;
  /** The person's device that sent the message. */
  readonly device: number;
}

export type AddressingMode = 'pn' | 'lid';

/** A person's first device, which other devices are linked to. */
export const PHONE = 0;
/** The device of a business on WhatsApp's Cloud API. Its jids are on servers of their own. */
export const HOSTED = 99;

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
  readonly refusesGroups: 401 | 403 | 408 | undefined;
  readonly #devices = new Map<number, SignalPeer | undefined>([[PHONE, undefined]]);
  readonly writtenToBy: AddressingMode | 'either';
  readonly needsToken: boolean | 'any';
  readonly tokens: TrustTokens = new TrustTokens();
  /** Whether the network names the person's devices on request. */
  hasDevices = true;
  /** How queries for the keys of the person's devices fail, as in whatsmeow's `prekeys.go`; undefined if they do not. */
  withheldKeys: 'error' | 'left_out' | undefined;
  /** The messages that the phone shows. A message that arrives twice is listed once. */
  readonly inbox = new Map<string, ReceivedMessage>();
  /** Sent messages by network id, for clients that could not read a message. */
  readonly sent = new Map<string, SentFromPhone>();
  /** How many times a device has asked again for an unreadable message, by network id and device. */
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
    this.refusesGroups = options.refusesGroups;
    for (let count = 0; count < (options.linkedDevices ?? 0); count += 1) this.linkDevice();
    if (options.isHosted) this.#devices.set(HOSTED, undefined);
    this.writtenToBy = options.writtenToBy ?? 'either';
    this.needsToken = options.needsToken ?? false;
  }

  get device(): SignalPeer {
    return this.deviceOf(PHONE);
  }

  get devices(): readonly number[] {
    return [...this.#devices.keys()];
  }

  /** A device's end of Signal sessions, made when first needed, because there may be tens of thousands of people. */
  deviceOf(device: number): SignalPeer {
    if (!this.#devices.has(device)) throw new Error(`${this.phoneNumber} has no device ${String(device)}`);
    const peer = this.#devices.get(device) ?? new SignalPeer();
    this.#devices.set(device, peer);
    return peer;
  }

  /** Gives the phone new keys, as when the app is installed again. Its linked devices are gone. */
  reinstall(): void {
    this.#devices.clear();
    this.#devices.set(PHONE, undefined);
  }

  linkDevice(): number {
    const device = Math.max(...this.devices.filter((known) => known !== HOSTED)) + 1;
    this.#devices.set(device, undefined);
    return device;
  }

  unlinkDevice(device: number): void {
    this.#devices.delete(device);
  }

  get jid(): string {
    return jidEncode(this.phoneNumber, SERVER);
  }

  get lidJid(): string | undefined {
    return this.lid === undefined ? undefined : jidEncode(this.lid, 'lid');
  }

  /** The person's jid in this form; the phone number if there is no LID. */
  jidIn(mode: AddressingMode, device?: number): string {
    const isHosted = device === HOSTED;
    if (mode === 'lid' && this.lid !== undefined)
      return jidEncode(this.lid, isHosted ? 'hosted.lid' : 'lid', device);
    return jidEncode(this.phoneNumber, isHosted ? 'hosted' : SERVER, device);
  }
}

function madeUpLid(phoneNumber: string): string {
  return String(10n ** 14n + BigInt(phoneNumber));
}
