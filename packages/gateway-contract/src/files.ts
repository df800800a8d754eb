import type { MediaType } from '@trunkline/core';

const bytes = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(base64, 'base64'));

interface SampleFile {
  readonly type: MediaType;
  readonly mimeType: string;
  readonly filename: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** One file of each media type, small enough to be sent in a moment. */
export const FILES: readonly SampleFile[] = [
  {
    type: 'image',
    mimeType: 'image/png',
    filename: 'dot.png',
    content: bytes(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    ),
  },
  {
    type: 'document',
    mimeType: 'application/pdf',
    filename: 'order.pdf',
    content: Uint8Array.from(Buffer.from('%PDF-1.7\n%%EOF\n')),
  },
  { type: 'audio', mimeType: 'audio/aac', filename: 'hello.aac', content: new Uint8Array(5_000).fill(0xf1) },
  { type: 'video', mimeType: 'video/mp4', filename: 'cat.mp4', content: new Uint8Array(70_001).fill(7) },
];
