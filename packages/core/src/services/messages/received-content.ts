import { boundedDetail } from '../../domain/message/inbound-bounds.ts';
import type { Message } from '../../domain/message/message.ts';
import { captionOf } from '../../domain/message/message-words.ts';
import type { IncomingContent, IncomingMessage } from '../../ports/gateway.ts';
import { noMedia } from '../../ports/media-store.ts';
import type { ServiceContext } from '../context.ts';
import { receiveWithFile } from '../media/file-lane.ts';
import type { ArrivedFile, FileReceiving } from '../media/file-lane.ts';
import { inboundMedia } from '../media/inbound-media.ts';
import { receivedText } from './received-text.ts';

/** A message that a gateway reports, by any author. */
interface ContentArrival {
  readonly id: string;
  readonly networkId: string;
  readonly content: IncomingContent;
  /** Whether the message was already stored; checked to avoid a needless download. */
  readonly isStored: () => Promise<boolean>;
  /** Returns the message, or null if it was stored already. */
  readonly store: (file: ArrivedFile) => Promise<Message | null>;
}

/** Stores a message once its file has come or is late; immediately if it is a text, or files are not stored. */
export async function receiveContent(
  context: ServiceContext,
  receiving: FileReceiving,
  { content, ...arrival }: ContentArrival,
): Promise<void> {
  if (content.type === 'text' || context.mediaStore === noMedia) {
    await arrival.store({ upload: null, download: null });
    return;
  }
  // A file delays only other files, not texts or receipts.
  await receiveWithFile(context, receiving, { ...arrival, file: content.file });
}

interface Said extends Pick<ArrivedFile, 'upload'> {
  readonly instanceId: string;
  readonly messageId: string;
  readonly said: Pick<IncomingMessage, 'content' | 'detail'>;
}

/** The content of a reported message, bounded because others wrote it. */
export function receivedContent(
  context: Pick<ServiceContext, 'logger'>,
  { instanceId, messageId, said: { content, detail }, upload }: Said,
): Pick<Message, 'type' | 'kind' | 'payload' | 'text' | 'caption' | 'media'> {
  const { type } = content;
  const about = { instanceId, messageId };
  const { kind, payload } = boundedDetail(detail) ?? { kind: type, payload: null };
  if (content.type === 'text') {
    const text = receivedText(context, about, content.text);
    return { type, kind, payload, text, caption: null, media: null };
  }
  const caption = captionOf(receivedText(context, about, content.caption));
  const media = inboundMedia({ messageId, type: content.type }, content.file, upload);
  return { type, kind, payload, text: null, caption, media };
}
