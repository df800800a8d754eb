/**
 * The kinds of messages, which are more specific than `type`, each with its fields, if any. A message without a file
 * has the type `text`; its text then describes the content.
 */
export interface MessagePayloads {
  /** Null unless the request to send the text had a `link_preview` or `mentions`. */
  readonly text: {
    /** Whether the recipient was to see a preview of the first link. */
    readonly link_preview?: boolean;
    /** The people whom the text mentions: numbers, digits only, and ids of contacts (`con_…`). */
    readonly mentions?: readonly string[];
  } | null;
  /** Null unless the request to send the image had `mentions`. */
  readonly image: MessageMentions | null;
  /** Null unless the request to send the document had `mentions`. */
  readonly document: MessageMentions | null;
  /** Null unless the request to send the video had `mentions`. */
  readonly video: MessageMentions | null;
  /** An audio file has no fields of its own. */
  readonly audio: null;
  /** A sticker, of type `image`. */
  readonly sticker: {
    /** Whether the sticker moves. */
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
  /** One or more contact cards. */
  readonly contact: {
    /** The cards, in the order in which they were sent. */
    readonly contacts: readonly SharedContact[];
  };
  /** The answer to a message with buttons. */
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
  /** The answer to a form or another interactive message. */
  readonly form_reply: {
    /** The name of the form. */
    readonly name: string;
    /** The values that were filled in; null if they are not JSON. */
    readonly values: unknown;
  };
  /** A message with buttons, a list or a form, as businesses send them. */
  readonly interactive: {
    /** The buttons or rows to choose from. */
    readonly buttons: readonly {
      /** The id of the button or row. */
      readonly id: string;
      /** The text on the button or row. */
      readonly title: string;
    }[];
  };
  /** A poll. Votes are not reported. */
  readonly poll: {
    /** The question. */
    readonly question: string;
    /** The answers to choose from. */
    readonly options: readonly string[];
    /** Whether a person can choose more than one answer. */
    readonly multiple: boolean;
  };
  /** A cart that a customer sent to a business. */
  readonly order: {
    /** The id of the order on the network. */
    readonly id: string;
    /** The number of items; null if the sender did not say. */
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

/** The kind of a message. The network gains new kinds, so handle a message of an unknown kind by its `type`. */
export type MessageKind = keyof MessagePayloads;

/** The fields of any kind that has fields. */
export type MessagePayload = Exclude<MessagePayloads[MessageKind], null>;

/** The people whom the caption of a file mentions. */
export interface MessageMentions {
  /** Numbers, digits only, and ids of contacts (`con_…`). */
  readonly mentions: readonly string[];
}

/** A position in degrees (WGS 84). */
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

/** A kind of message with its fields. */
export type MessageKindAndPayload = {
  [Kind in MessageKind]: {
    /** The kind of message. */
    readonly kind: Kind;
    /** The fields of this kind; null if the kind has none. */
    readonly payload: MessagePayloads[Kind];
  };
}[MessageKind];
