/**
 * The kinds of messages, finer than `type`, with the fields of each kind that has any. A kind without a file is a message
 * of type `text`, whose text describes it.
 */
export interface MessagePayloads {
  readonly text: null;
  readonly image: null;
  readonly document: null;
  readonly video: null;
  readonly audio: null;
  /** A message of type `image`. */
  readonly sticker: { readonly animated: boolean };
  /** A message of type `audio` that was recorded as it is heard. `seconds` is null if the sender did not say it. */
  readonly voice: { readonly seconds: number | null };
  /** A round video, recorded as it is seen: a message of type `video`. */
  readonly video_note: { readonly seconds: number | null };
  readonly location: MessageLocation;
  /** The sender's position at the moment of sending. Later positions are not reported. */
  readonly live_location: MessageLocation;
  readonly contact: { readonly contacts: readonly SharedContact[] };
  /** The answer to a message with buttons. `id` is the button's own, as its message named it. */
  readonly button_reply: { readonly id: string; readonly title: string };
  /** The answer to a message with a list. */
  readonly list_reply: { readonly id: string; readonly title: string; readonly description: string | null };
  /** The answer to a form or another interactive message. `values` is the JSON that it sent, or null if it is not JSON. */
  readonly form_reply: { readonly name: string; readonly values: unknown };
  /** A message with buttons, a list or a form, as businesses send them. */
  readonly interactive: { readonly buttons: readonly { readonly id: string; readonly title: string }[] };
  readonly poll: { readonly question: string; readonly options: readonly string[] };
  /** A cart that a customer sent to a business. `total` is in thousandths of the currency. */
  readonly order: {
    readonly id: string;
    readonly item_count: number | null;
    readonly total: number | null;
    readonly currency: string | null;
  };
  readonly event: {
    readonly name: string;
    readonly description: string | null;
    readonly starts_at: string | null;
  };
}

/** The kinds grow with the network: treat one that you do not know as its message's `type`. */
export type MessageKind = keyof MessagePayloads;

/** The fields of any kind that has some. */
export type MessagePayload = Exclude<MessagePayloads[MessageKind], null>;

/** Degrees (WGS 84). */
export interface MessageLocation {
  readonly latitude: number;
  readonly longitude: number;
  readonly name: string | null;
  readonly address: string | null;
}

/** A contact card that was sent. `phone_numbers` are as the card has them. */
export interface SharedContact {
  readonly name: string;
  readonly phone_numbers: readonly string[];
  /** The card itself (RFC 6350), as it was sent. */
  readonly vcard: string;
}

/** A kind with its fields. */
export type MessageKindAndPayload = {
  [Kind in MessageKind]: { readonly kind: Kind; readonly payload: MessagePayloads[Kind] };
}[MessageKind];
