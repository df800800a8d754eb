export const MEDIA_KINDS = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The people whom a text or a caption mentions, by their jids; absent without any. */
interface Mentioning {
  readonly mentions?: readonly string[];
}

export interface MediaContent extends Mentioning {
  readonly type: MediaKind;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly caption: string | null;
  /** The name of a document; null for any other file. */
  readonly filename: string | null;
  /** Set for an audio that is shown as a recorded voice message, with the duration that it states. */
  readonly voice?: { readonly seconds: number | null; readonly waveform: readonly number[] };
  readonly shown?: ShownFile;
}

export interface TextContent extends Mentioning {
  readonly type: 'text';
  readonly text: string;
  readonly link?: ShownLink;
}

/** The preview of a link in a text. */
interface ShownLink {
  readonly matched: string;
  readonly title: string;
  readonly description: string;
  readonly thumbnail: Uint8Array;
}

/** The facts by which phones show a file before they download it, if the message has them. */
interface ShownFile {
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly thumbnail?: Uint8Array;
}

interface StickerContent extends Pick<MediaContent, 'bytes' | 'mimeType' | 'shown'> {
  readonly type: 'sticker';
  readonly animated: boolean;
}

interface LocationContent {
  readonly type: 'location';
  readonly latitude: number;
  readonly longitude: number;
  readonly name: string | null;
  readonly address: string | null;
}

interface ContactsContent {
  readonly type: 'contacts';
  readonly cards: readonly { readonly name: string; readonly vcard: string }[];
}

interface PollContent {
  readonly type: 'poll';
  readonly question: string;
  readonly options: readonly string[];
  /** Whether a person can choose more than one option. */
  readonly multiple: boolean;
  /** The secret with which phones encrypt their votes. */
  readonly secret: Uint8Array;
}

/** The content of a message, without any layer of encryption. */
export type Content =
  | TextContent
  | MediaContent
  | StickerContent
  | LocationContent
  | ContactsContent
  | PollContent
  /** Reactions, edits, deletions and everything else; `message` is the decoded protobuf as a plain object. */
  | { readonly type: 'other'; readonly message: Readonly<Record<string, unknown>> }
  /** No device could decrypt the message. */
  | { readonly type: 'unreadable' };
