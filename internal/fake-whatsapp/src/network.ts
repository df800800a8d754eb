import { Curve } from '@whiskeysockets/baileys';
import type { KeyPair } from '@whiskeysockets/baileys';
import { ClientVersions } from './client-versions.ts';
import { Disturbances } from './disturbances.ts';
import type { MediaHost } from './media/media-host.ts';
import { NoiseAuthority } from './noise/authority.ts';
import { Chronicle } from './chronicle/chronicle.ts';
import type { Disturbed } from './chronicle/chronicle.ts';
import type { Contact } from './directory/contact.ts';
import { Directory } from './directory/directory.ts';

/** The state that all connections of one server share. */
export class Network {
  readonly directory: Directory = new Directory();
  readonly chronicle: Chronicle = new Chronicle();
  readonly disturbances: Disturbances = new Disturbances();
  readonly versions: ClientVersions = new ClientVersions();
  readonly media: MediaHost;
  readonly now: () => number;
  readonly authority: NoiseAuthority;
  readonly serverKey: KeyPair = Curve.generateKeyPair();
  #stanzas = 0;

  constructor(media: MediaHost, now: () => number) {
    this.media = media;
    this.now = now;
    this.authority = new NoiseAuthority(now);
  }

  noteDisturbed({ phoneNumber }: Pick<Contact, 'phoneNumber'>, what: Disturbed['what']): void {
    this.chronicle.disturbed.push({ at: this.now(), account: phoneNumber, what });
  }

  newStanzaId(): string {
    this.#stanzas += 1;
    return `server-${String(this.#stanzas)}`;
  }
}
