import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryMediaStore } from '@trunkline/core/testing';
import { SCOPES } from '@trunkline/core';
import { startService } from './service.ts';

const MINUTE = 60_000;

/** `file` shows whether the media store still has the file open. */
async function download(chunks: number) {
  const store = memoryMediaStore();
  const file = { cancelled: false, read: 0 };
  const content = (): ReadableStream<Uint8Array> =>
    new ReadableStream(
      {
        pull(controller) {
          file.read += 1;
          if (file.read > chunks) controller.close();
          else controller.enqueue(new Uint8Array(1_000));
        },
        cancel: () => void (file.cancelled = true),
      },
      { highWaterMark: 0 },
    );
  const service = await startService({
    rateLimit: false, // the limit has its own timers
    media: { ...store, size: async () => chunks * 1_000, get: async () => content() },
  });
  const { id: workspaceId, call } = await service.newWorkspace();
  const instance = await service.connected(call);
  const { message } = await service.trunkline.workspace(workspaceId).messages.send({
    instance,
    to: '15550100',
    type: 'document',
    file: new Blob(['anything']),
  });
  const { token } = await service.trunkline.admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { body } = await service.app.request(`/api/v1/messages/${message.id}/media`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!body) throw new Error('The download has no body.');
  return { reader: body.getReader(), file };
}

test('a download that its client stops reading is cut off after a minute, and its file is closed', async () => {
  const { reader, file } = await download(10);
  expect((await reader.read()).value).toHaveLength(1_000);
  await vi.advanceTimersByTimeAsync(MINUTE - 1);
  expect(file.cancelled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(file.cancelled).toBe(true);
  await expect(reader.read()).rejects.toThrow('took nothing of the download');
});

test('a download that its client never reads is cut off, too', async () => {
  const { file } = await download(10);
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(file.cancelled).toBe(true);
});

test('a download that is read slowly completes, and leaves no timer behind', async () => {
  const { reader, file } = await download(5);
  for (let chunk = 0; chunk < 5; chunk++) {
    expect((await reader.read()).done).toBe(false);
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
  }
  expect((await reader.read()).done).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(file.cancelled).toBe(false);
});

test('a download whose client goes away closes its file, and leaves no timer behind', async () => {
  const { reader, file } = await download(5);
  await reader.read();
  await reader.cancel();
  expect(file.cancelled).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
