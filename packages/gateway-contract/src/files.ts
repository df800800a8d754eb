import type { MediaType } from '@trunkline/core';

const bytes = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(base64, 'base64'));

/** The beginning determines the file's type; the rest is padding up to `size`. */
function filled(beginning: readonly number[], size: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(size).fill(7);
  content.set(beginning);
  return content;
}

interface SampleFile {
  readonly type: MediaType;
  readonly mimeType: string;
  readonly filename: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** A WebP picture of one pixel. */
export const WEBP: Omit<SampleFile, 'type'> = {
  mimeType: 'image/webp',
  filename: 'dot.webp',
  content: bytes('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='),
};

/** One file of each media type, each small enough to be sent quickly. */
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
  {
    type: 'audio',
    mimeType: 'audio/aac',
    filename: 'hello.aac',
    content: filled([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc], 5_000),
  },
  {
    type: 'video',
    mimeType: 'video/mp4',
    filename: 'cat.mp4',
    content: filled([0, 0, 0, 24, ...Buffer.from('ftypisom\0\0\x02\0isomiso2')], 70_001),
  },
];
