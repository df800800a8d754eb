import { describe, expect, it } from 'vitest';
import { sharedBytes } from './shared-bytes.ts';

describe('Bytes that responses share', () => {
  it.each([0, 1, 65_536, 65_537, 200_000])('arrive whole if there are %i', async (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, index) => index % 251);
    expect(await new Response(sharedBytes(bytes)).bytes()).toEqual(bytes);
  });

  it('are neither copied nor taken before the client reads', async () => {
    const bytes = new Uint8Array(200_000);
    const reader = sharedBytes(bytes).getReader();
    const { value } = await reader.read();
    expect(value?.buffer).toBe(bytes.buffer);
    expect(value?.byteLength).toBe(65_536);
  });
});
