import { buffer } from 'node:stream/consumers';
import type { IncomingContent, IncomingMessage, OutgoingContent } from '@trunkline/core/spi/gateway';
import type { WireIncoming, WireMessage } from './protocol.ts';

type OutgoingWire = WireMessage['content'];
type IncomingWire = WireIncoming['content'];

/** For the network, which reads the file from the gateway piece by piece. */
export function outgoingContent(
  content: OutgoingWire,
  read: () => Promise<Uint8Array | null>,
): OutgoingContent {
  if (!('file' in content)) return content;
  const open = async (): Promise<ReadableStream<Uint8Array>> =>
    new ReadableStream({
      async pull(controller) {
        const piece = await read();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
  return { ...content, file: { ...content.file, open } };
}

/** Without the file, which the network requests later. */
export function outgoingWire(content: OutgoingContent): OutgoingWire {
  if (!('file' in content)) return content;
  const { mimeType, filename, size } = content.file;
  return { ...content, file: { mimeType, filename, size } };
}

export async function wireIncoming(message: IncomingMessage): Promise<WireIncoming> {
  const { content } = message;
  if (!('file' in content)) return { ...message, content };
  const { mimeType, filename, open } = content.file;
  // Not `Response`, which @hono/node-server replaces with a class that lacks `bytes`.
  const bytes = await buffer(await open());
  return { ...message, content: { ...content, file: { mimeType, filename, bytes } } };
}

export function incomingContent(content: IncomingWire): IncomingContent {
  if (!('file' in content)) return content;
  const { mimeType, filename, bytes } = content.file;
  const open = async (): Promise<ReadableStream<Uint8Array>> => new Blob([bytes.slice()]).stream();
  return { ...content, file: { mimeType, filename, open } };
}
