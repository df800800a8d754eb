import type { GroupReport } from '../domain/instance/group.ts';
import type { MediaType } from '../domain/message/media-rules.ts';
import type { LinkedProfile, MessageReceipt } from '../ports/gateway.ts';

/** Something that happened on the sandbox network. All records together make up the network's state. */
export type NetworkRecord = { readonly instanceId: string } & (
  | { readonly kind: 'linked'; readonly profile: LinkedProfile }
  | { readonly kind: 'unlinked' }
  /** The number is in this group. A journal of an older version has it without the number: then it is the linked one's. */
  | { readonly kind: 'group'; readonly phoneNumber?: string; readonly group: GroupReport }
  | { readonly kind: 'group_left'; readonly phoneNumber: string; readonly networkId: string }
  /** The network accepted a message, and owes these receipts. */
  | {
      readonly kind: 'accepted';
      readonly networkId: string;
      readonly to: string;
      /** The text, or what stands with the file. */
      readonly text: string;
      readonly file: AcceptedFile | null;
      readonly receipts: readonly MessageReceipt['status'][];
    }
  | { readonly kind: 'receipt_taken'; readonly networkId: string }
  | { readonly kind: 'inbound'; readonly message: InboundMessage }
  | { readonly kind: 'inbound_taken'; readonly networkId: string }
  /** The service has taken a message, and not downloaded its file yet. */
  | { readonly kind: 'file_kept'; readonly networkId: string; readonly file: InboundFile }
  | { readonly kind: 'file_taken'; readonly networkId: string }
);

export interface InboundMessage {
  readonly networkId: string;
  readonly from: string;
  readonly groupNetworkId: string | null;
  /** The text, or what stands with the file. */
  readonly text: string;
  readonly file: InboundFile | null;
}

/** A file that the network accepted. The network keeps only its size. */
export interface AcceptedFile {
  readonly type: MediaType;
  readonly mimeType: string;
  readonly filename: string;
  readonly size: number;
}

/** A file that somebody sent; the network keeps it until it is downloaded. */
export interface InboundFile {
  readonly type: MediaType;
  readonly mimeType: string;
  readonly filename: string | null;
  readonly base64: string;
  /** When the network has it, in epoch milliseconds; null if never. It always has one without this field. */
  readonly availableAt?: number | null;
}

/**
 * Where the sandbox network stores what happened, so that it remembers it after its process ends, as a real network
 * would. Without a journal, it forgets everything when the process ends.
 */
export interface NetworkJournal {
  /** Oldest first. */
  load(): Iterable<NetworkRecord>;
  /** Returns when the record is durable. */
  append(record: NetworkRecord): void;
}
