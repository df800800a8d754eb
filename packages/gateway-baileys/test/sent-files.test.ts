import type { OutgoingContent, OutgoingMessage } from '@trunkline/core/spi/gateway';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import { mp4, picture } from './support/files.ts';

type SentMediaType = Exclude<OutgoingContent['type'], 'text'>;

it('a file is sent with what phones show before they have downloaded it, and without a copy of it on disk', async () => {
  const { network, link } = await linked();
  const { wa, reader } = network;
  let ids = 0;
  let copies: readonly string[] = [];
  const send = async (type: SentMediaType, mimeType: string, bytes: Buffer): Promise<unknown> => {
    const networkId = `3EB0F${String((ids += 1)).padStart(17, '0')}`;
    const open = async (): Promise<ReadableStream<Uint8Array>> => {
      let isRead = false;
      return new ReadableStream({
        pull(controller) {
          if (!isRead) controller.enqueue(bytes);
          else controller.close();
          // By now, Baileys has opened its files.
          if (isRead)
            copies = [...copies, ...readdirSync(tmpdir()).filter((name) => name.endsWith('-original'))];
          isRead = true;
        },
      });
    };
    const file = { mimeType, filename: 'a', size: bytes.length, open };
    const message: OutgoingMessage = {
      networkId,
      to: reader.phoneNumber,
      isGroup: false,
      content: { type, caption: null, file },
    };
    expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
    const content = wa.sentMessages().at(-1)?.content;
    return content && 'shown' in content ? content.shown : undefined;
  };

  const jpeg = await send('image', 'image/jpeg', picture('subsampled'));
  expect(jpeg).toMatchObject({ width: 40, height: 24, thumbnail: { length: expect.any(Number) } });
  expect(await send('image', 'image/webp', picture('webpLossy'))).toEqual({ width: 40, height: 24 });
  expect(await send('video', 'video/mp4', mp4())).toEqual({ seconds: 12, width: 1280, height: 720 });
  expect(await send('audio', 'audio/mp4', mp4())).toMatchObject({ seconds: 12 });
  expect(await send('image', 'image/jpeg', Buffer.from('no picture'))).toBeUndefined();
  expect(await send('document', 'image/jpeg', picture('subsampled'))).toBeUndefined();
  expect(copies).toEqual([]);
});
