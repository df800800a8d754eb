import { describe, expect, test } from 'vitest';
import { openFormFile } from '../src/form-body.ts';

const chunk = (): Uint8Array => new Uint8Array(1_000);
const soon = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20));

async function count(content: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const part of content) size += part.byteLength;
  return size;
}

describe('a file that comes in', () => {
  test('resolves with the result of its taker', async () => {
    const file = openFormFile(count);
    for (let i = 0; i < 3; i++) {
      file.push(chunk());
      await file.ready();
    }
    file.push(null);
    expect(await file.stored).toBe(3_000);
  });

  test('is not ready for more before the last chunk is taken', async () => {
    const go = Promise.withResolvers<void>();
    const file = openFormFile(async (content) => {
      await go.promise;
      return count(content);
    });
    file.push(chunk());
    let isReady = false;
    const ready = file.ready().then(() => (isReady = true));
    await soon();
    expect(isReady).toBe(false);
    go.resolve();
    await ready;
    file.push(null);
    expect(await file.stored).toBe(1_000);
  });

  test('rejects immediately when its taker has failed, and can be abandoned', async () => {
    const file = openFormFile(async (content) => {
      await content.getReader().read();
      throw new Error('no');
    });
    file.push(chunk());
    file.push(chunk());
    await expect(file.ready()).rejects.toThrow('no');
    file.push(chunk());
    await expect(file.ready()).rejects.toThrow('no');
    expect(await file.giveUp()).toBeNull();
  });

  test('does not wait for a taker that wants no more of it', async () => {
    const file = openFormFile(async (content) => {
      await content.cancel();
      return 'enough';
    });
    file.push(chunk());
    await file.ready();
    file.push(null);
    expect(await file.stored).toBe('enough');
  });

  test('ends with an error for its taker when it is abandoned', async () => {
    const file = openFormFile(count);
    file.push(chunk());
    await file.ready();
    expect(await file.giveUp()).toBeNull();
    await expect(file.stored).rejects.toThrow('broke off');
  });

  test("returns the taker's result if it is abandoned too late", async () => {
    const file = openFormFile(count);
    file.push(chunk());
    file.push(null);
    await file.stored;
    expect(await file.giveUp()).toBe(1_000);
  });
});
