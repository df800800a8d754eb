import type { MessageKindAndPayload } from '@trunkline/receiver';
import type { MediaType } from '../domain/message/media-rules.ts';
import type {
  LinkedProfile,
  MessageReceipt,
  OutgoingAction,
  OutgoingDetail,
  OutgoingMention,
} from '../ports/gateway.ts';
import type { SandboxPerson } from './person.ts';
import type { SandboxGroup } from './sandbox-groups.ts';

/** An event on the sandbox network. All records together make up the network's state. */
export type NetworkRecord = { readonly instanceId: string } & (
  | { readonly kind: 'linked'; readonly profile: LinkedProfile }
  | { readonly kind: 'unlinked' }
  /** The number is in this group. */
  | { readonly kind: 'group'; readonly phoneNumber: string; readonly group: SandboxGroup }
  | { readonly kind: 'group_left'; readonly phoneNumber: string; readonly networkId: string }
  /** The network accepted a message, and owes these receipts. */
  | {
      readonly kind: 'accepted';
      readonly networkId: string;
      readonly to: string;
      /** The text, or the caption of the file. */
      readonly text: string;
      readonly file: AcceptedFile | null;
      /** The recipient's network id, if the message was addressed by network id, with or without `to`. */
      readonly contactNetworkId?: string;
      /** The network's id of the quoted message. */
      readonly replyTo?: string;
      /** The kind, if it is finer than that of a text or a file. */
      readonly detail?: OutgoingDetail;
      /** The people whom the text mentions. */
      readonly mentions?: readonly OutgoingMention[];
      readonly receipts: readonly MessageReceipt['status'][];
    }
  /** The network accepted an action of the instance on a message. */
  | ({ readonly kind: 'acted' } & SandboxAction)
  /** The instance blocked a person, or no longer: a number, or the network's id if that is all that is known. */
  | { readonly kind: 'block'; readonly person: string; readonly isBlocked: boolean }
  | { readonly kind: 'receipt_taken'; readonly networkId: string }
  | { readonly kind: 'inbound'; readonly message: InboundMessage }
  | { readonly kind: 'inbound_taken'; readonly networkId: string }
  /** The service has taken a message, but has not yet downloaded its file. */
  | { readonly kind: 'file_kept'; readonly networkId: string; readonly file: InboundFile }
  | { readonly kind: 'file_taken'; readonly networkId: string }
  | { readonly kind: 'activity'; readonly activity: NetworkActivity }
  | { readonly kind: 'activity_taken'; readonly networkId: string }
);

/**
 * An event in a chat that is neither a message to the instance nor a receipt. People are given by phone
 * number, or by network id if they hide their number.
 */
export type NetworkActivity = {
  /** The network id of the activity; for an echo, of the message. */
  readonly networkId: string;
  /** Epoch milliseconds. */
  readonly at: number;
} & (
  | {
      readonly kind: 'echo';
      readonly to: string | null;
      readonly groupNetworkId: string | null;
      /** The text, or the caption of the file. */
      readonly text: string;
      readonly file: InboundFile | null;
    }
  | (ActivityOn & { readonly kind: 'reaction'; readonly emoji: string | null })
  | (ActivityOn & { readonly kind: 'vote'; readonly options: readonly string[] })
  | (ActivityOn & { readonly kind: 'edit'; readonly text: string })
  | (ActivityOn & { readonly kind: 'deletion' })
  | (ActivityOn & { readonly kind: 'media_update'; readonly file: InboundFile })
  | {
      readonly kind: 'undecryptable';
      readonly from: string;
      readonly groupNetworkId: string | null;
      readonly reason: 'no_key' | 'view_once';
    }
  | {
      readonly kind: 'call';
      readonly from: string;
      readonly groupNetworkId: string | null;
      readonly video: boolean;
    }
);

/** An action of the instance on a message. */
export interface SandboxAction {
  readonly networkId: string;
  /** The chat of the message: a number, or the network's id of a group or, if that is all that is known, of a person. */
  readonly to: string;
  /** The network's id of the message. */
  readonly about: string;
  /** The network's id of its author; null if the instance wrote it. */
  readonly author: string | null;
  /** The change that the action made to the message. */
  readonly deed: OutgoingAction['deed'];
}

/** An act on a message. */
export interface ActivityOn extends NetworkMessage {
  /** The network's id of the message. */
  readonly about: string;
  /** Whether the owner of the phone acted; otherwise, `contact` did. */
  readonly own: boolean;
}

/** The chat and the author of a message. */
export interface NetworkMessage {
  /** Null if the author is the owner of the phone. */
  readonly author: string | null;
  readonly groupNetworkId: string | null;
  /** The other person in the chat, or the person who acted in a group. */
  readonly contact: string | null;
}

/** The content of a message, from either side. */
export type WrittenMessage = Pick<InboundMessage, 'networkId' | 'text' | 'file'>;

export interface InboundMessage {
  readonly networkId: string;
  /** Null if the sender hides their number. */
  readonly from: string | null;
  /** Further facts that the network knows about the sender. */
  readonly sender?: SandboxPerson;
  readonly groupNetworkId: string | null;
  /** The text, or the caption of the file. */
  readonly text: string;
  readonly file: InboundFile | null;
  readonly detail?: MessageKindAndPayload;
  /** Epoch milliseconds, by the sender's phone. */
  readonly sentAt: number;
  /** The network's id of the quoted message. */
  readonly replyTo?: string;
}

/** A file that the network accepted. The network keeps its description, but not its content. */
export interface AcceptedFile {
  readonly type: MediaType;
  readonly mimeType: string;
  readonly filename: string;
  readonly size: number;
  /** Present for a recorded voice message. */
  readonly voice?: true;
}

/** A file that was sent; the network keeps it until it is downloaded. */
export interface InboundFile {
  readonly type: MediaType;
  readonly mimeType: string;
  readonly filename: string | null;
  readonly base64: string;
  /**
   * When the network has the file, in epoch milliseconds; null if never. If omitted, the network always has
   * the file.
   */
  readonly availableAt?: number | null;
}

/**
 * Stores the events of the sandbox network, so that the network remembers them after its process ends, as a
 * real one would. Without a journal, the network forgets everything when the process ends.
 */
export interface NetworkJournal {
  /** Oldest first. */
  load(): Iterable<NetworkRecord>;
  /** Returns when the record is durable. */
  append(record: NetworkRecord): void;
}
