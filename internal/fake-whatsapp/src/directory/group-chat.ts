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
  readonly admins: Set<Contact>;
  description: { readonly id: string; readonly body: string } | null = null;
  inviteCode: string | null = null;
  /** Whether an admin has to let in people who join by the link. */
  asksAdmin = false;
  /** The people who ask to be let in, with the time in milliseconds. */
  readonly asking = new Map<Contact, number>();
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
    this.admins = new Set(settings.admins);
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
    const { announcement, createdAt } = this.#settings;
    const [creator] = this.#settings.admins;
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
      ...this.#descriptionNode(),
      ...(this.asksAdmin ? [stanza('membership_approval_mode')] : []),
      ...(announcement ? [stanza('announcement')] : []),
    ]);
  }

  #descriptionNode(): readonly Stanza[] {
    if (this.description === null) return [];
    const { id, body } = this.description;
    return [stanza('description', { id }, [stanza('body', {}, Buffer.from(body))])];
  }

  participantNode(member: Contact): Stanza {
    const other =
      this.addressing === 'pn'
        ? { lid: member.lidJid }
        : { phone_number: member.hidesNumber ? undefined : member.jid };
    const admin = this.#settings.admins[0] === member ? 'superadmin' : 'admin';
    const type = this.admins.has(member) ? admin : undefined;
    return stanza('participant', { jid: this.jidOf(member), ...other, type });
  }
}
