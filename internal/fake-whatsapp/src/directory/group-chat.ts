import { seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { AddressingMode, Contact } from './contact.ts';

export interface GroupSettings {
  readonly subject: string;
  readonly members: readonly Contact[];
  readonly admins: readonly Contact[];
  readonly addressing: AddressingMode;
  readonly announcement: boolean;
  readonly createdAt: number;
}

export class GroupChat {
  readonly id: string;
  readonly members: Set<Contact>;
  addressing: AddressingMode;
  /** Seconds until messages disappear; null if they stay. */
  timer: number | null = null;
  subject: string;
  /** Whether lists of an account's groups have the name. */
  isListedByName = true;
  readonly #settings: GroupSettings;

  constructor(id: string, settings: GroupSettings) {
    this.id = id;
    this.members = new Set(settings.members);
    this.addressing = settings.addressing;
    this.subject = settings.subject;
    this.#settings = settings;
  }

  get jid(): string {
    return `${this.id}@g.us`;
  }

  jidOf(member: Contact, device?: number): string {
    return member.jidIn(this.addressing, device);
  }

  node(): Stanza {
    const participants = [...this.members].map((member) => this.participantNode(member));
    return this.#node(participants, this.subject);
  }

  nodeWithoutMembers(): Stanza {
    return this.#node([], this.isListedByName ? this.subject : undefined);
  }

  #node(participants: readonly Stanza[], subject: string | undefined): Stanza {
    const { admins, announcement, createdAt } = this.#settings;
    const [creator] = admins;
    const created = seconds(createdAt);
    const attrs = {
      id: this.id,
      subject,
      creation: created,
      creator: creator && this.jidOf(creator),
      s_t: created,
      s_o: creator && this.jidOf(creator),
      addressing_mode: this.addressing,
      size: String(this.members.size),
    };
    const timer = this.timer === null ? [] : [stanza('ephemeral', { expiration: String(this.timer) })];
    return stanza('group', attrs, [
      ...participants,
      ...timer,
      ...(announcement ? [stanza('announcement')] : []),
    ]);
  }

  participantNode(member: Contact): Stanza {
    const other =
      this.addressing === 'pn'
        ? { lid: member.lidJid }
        : { phone_number: member.hidesNumber ? undefined : member.jid };
    const type = this.#settings.admins.includes(member) ? 'admin' : undefined;
    return stanza('participant', { jid: this.jidOf(member), ...other, type });
  }
}
