import type { GroupReport, LinkedProfile, MediaType } from '@trunkline/core/spi/gateway';

// The protocol of this example's carrier. `GET /events` is one long response, with a line of JSON for each event and an
// empty line every ten seconds; without a token it links a device. `PUT /messages/:networkId` sends (422 with a code and a
// message is a refusal), and `GET /files/:id` downloads. `POST /events/:id/taken` and `/refused` report the outcome of an
// event that has an id, and `DELETE /device` unlinks.

export type CarrierEvent =
  | { readonly type: 'qr'; readonly code: string; readonly expiresAt: number; readonly pairingCode?: string }
  | { readonly type: 'linked'; readonly token: string }
  | { readonly type: 'ready'; readonly profile: LinkedProfile }
  | { readonly type: 'groups'; readonly groups: readonly GroupReport[]; readonly full: boolean }
  /** The device's token is no longer valid: the phone unlinked it, or the carrier refuses it. */
  | { readonly type: 'unlinked' }
  | { readonly type: 'refused' }
  | CarrierMessage
  | {
      readonly type: 'receipt';
      readonly id: string;
      readonly networkId: string;
      readonly status: 'delivered' | 'read';
    };

export interface CarrierMessage {
  readonly type: 'message';
  readonly id: string;
  readonly networkId: string;
  readonly from: string;
  readonly group: string | null;
  readonly text: string;
  readonly file: { readonly id: string; readonly type: MediaType; readonly mimeType: string } | null;
}
