import { boundedDetail, boundedText, TEXT_RECEIVED_MAX } from '../../domain/message/inbound-bounds.ts';
import type { Message } from '../../domain/message/message.ts';
import type { IncomingContent, IncomingMessage } from '../../ports/gateway.ts';
import { noMedia } from '../../ports/media-store.ts';
import type { ServiceContext } from '../context.ts';
import { receiveWithFile } from '../media/file-lane.ts';
import type { ArrivedFile, FileReceiving } from '../media/file-lane.ts';
import { inboundMedia } from '../media/inbound-media.ts';

/** A message that a gateway reports, whoever wrote it. */
interface ContentArrival {
  /** Of the message. */
  readonly id: string;
  readonly networkId: string;
  readonly content: IncomingContent;
  /** Whether it is a repeat: looked up before a file is downloaded for nothing. */
  readonly isStored: () => Promise<boolean>;
  /** Returns the message, or null if it was stored already. */
  readonly store: (file: ArrivedFile) => Promise<Message | null>;
}

/** Stores a message once its file has come, or does not come in time. A text is stored immediately. */
export async function receiveContent(
  context: ServiceContext,
  receiving: FileReceiving,
  { content, ...arrival }: ContentArrival,
): Promise<void> {
  if (content.type === 'text' || context.mediaStore === noMedia) {
    await arrival.store({ upload: null, download: null });
    return;
  }
  // Here alone files wait for each other: no text and no receipt waits for one.
  await receiveWithFile(context, receiving, { ...arrival, file: content.file });
}

/** What a reported message says, within bounds: others wrote it. */
export function receivedContent(
  messageId: string,
  { content, detail }: Pick<IncomingMessage, 'content' | 'detail'>,
  { upload }: Pick<ArrivedFile, 'upload'>,
): Pick<Message, 'type' | 'kind' | 'payload' | 'text' | 'caption' | 'media'> {
  const { type } = content;
  const { kind, payload } = boundedDetail(detail) ?? { kind: type, payload: null };
  if (content.type === 'text') {
    const text = boundedText(content.text, TEXT_RECEIVED_MAX);
    return { type, kind, payload, text, caption: null, media: null };
  }
  const caption = boundedText(content.caption, TEXT_RECEIVED_MAX);
  const media = inboundMedia({ messageId, type: content.type }, content.file, upload);
  return { type, kind, payload, text: null, caption, media };
}
