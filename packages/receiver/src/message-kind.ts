/**
 * The kinds of messages, finer than `type`, with the fields of each kind that has any. A kind without a file is a message
 * of type `text`, whose text describes it.
 */
export interface MessagePayloads {
  /** A text has no fields of its own. */
  readonly text: null;
  /** An image has no fields of its own. */
  readonly image: null;
  /** A document has no fields of its own. */
  readonly document: null;
  /** A video has no fields of its own. */
  readonly video: null;
  /** An audio file has no fields of its own. */
  readonly audio: null;
  /** A message of type `image`. */
  readonly sticker: {
    /** Whether it moves. */
    readonly animated: boolean;
  };
  /** A recorded voice message, of type `audio`. */
  readonly voice: {
    /** The length in seconds; null if the sender did not say. */
    readonly seconds: number | null;
  };
  /** A round video message, of type `video`. */
  readonly video_note: {
    /** The length in seconds; null if the sender did not say. */
    readonly seconds: number | null;
  };
  /** A place on the map. */
  readonly location: MessageLocation;
  /** The sender's position at the moment of sending. Later positions are not reported. */
  readonly live_location: MessageLocation;
  /** One or several contact cards. */
  readonly contact: {
    /** The cards, in the order in which they were sent. */
    readonly contacts: readonly SharedContact[];
  };
  /** The answer to a message with buttons. `id` is the button's id in that message. */
  readonly button_reply: {
    /** The id of the button. */
    readonly id: string;
    /** The text on the button. */
    readonly title: string;
  };
  /** The answer to a message with a list. */
  readonly list_reply: {
    /** The id of the row in the list. */
    readonly id: string;
    /** The text of the row. */
    readonly title: string;
    /** The text below `title`; null if there was none. */
    readonly description: string | null;
  };
  /**
   * The answer to a form or another interactive message. `values` is the JSON of the answer; null if the answer is not
   * JSON.
   */
  readonly form_reply: {
    /** The name of the form. */
    readonly name: string;
    /** The values that were filled in. */
    readonly values: unknown;
  };
  /** A message with buttons, a list or a form, as businesses send them. */
  readonly interactive: {
    /** The buttons or rows to choose from. */
    readonly buttons: readonly {
      /** The id of the button or row. */
      readonly id: string;
      /** The text on the button. */
      readonly title: string;
    }[];
  };
  /** A poll. Votes are not reported. */
  readonly poll: {
    /** The question. */
    readonly question: string;
    /** The answers to choose from. */
    readonly options: readonly string[];
  };
  /** A cart that a customer sent to a business. `total` is in thousandths of the currency. */
  readonly order: {
    /** The id of the order on the network. */
    readonly id: string;
    /** The number of articles; null if the sender did not say. */
    readonly item_count: number | null;
    /** The price, in thousandths of the currency; null if the sender did not say. */
    readonly total: number | null;
    /** The currency by ISO 4217, such as `EUR`; null if the sender did not say. */
    readonly currency: string | null;
  };
  /** An invitation to an event. */
  readonly event: {
    /** The name of the event. */
    readonly name: string;
    /** The description; null if the sender gave none. */
    readonly description: string | null;
    /** ISO 8601 with an offset; null if the sender did not say. */
    readonly starts_at: string | null;
  };
}

/** The kinds grow with the network: treat a message of an unknown kind like its `type`. */
export type MessageKind = keyof MessagePayloads;

/** The fields of any kind that has some. */
export type MessagePayload = Exclude<MessagePayloads[MessageKind], null>;

/** Degrees (WGS 84). */
export interface MessageLocation {
  /** Degrees north of the equator. */
  readonly latitude: number;
  /** Degrees east of Greenwich. */
  readonly longitude: number;
  /** The name of the place; null if the sender gave none. */
  readonly name: string | null;
  /** The address of the place; null if the sender gave none. */
  readonly address: string | null;
}

/** A contact card that was sent. */
export interface SharedContact {
  /** The name on the card. */
  readonly name: string;
  /** The numbers, as they are written on the card. */
  readonly phone_numbers: readonly string[];
  /** The card itself (RFC 6350), as it was sent. */
  readonly vcard: string;
}

/** A kind with its fields. */
export type MessageKindAndPayload = {
  [Kind in MessageKind]: {
    /** The kind of message. */
    readonly kind: Kind;
    /** The fields of this kind; null if it has none. */
    readonly payload: MessagePayloads[Kind];
  };
}[MessageKind];
