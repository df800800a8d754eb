import type { LinkPreview, OutgoingMessage } from '@trunkline/core/spi/gateway';
import { expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import { picture } from './support/files.ts';

it('a text is sent with the preview of its link, and with the same one when it is sent again', async () => {
  const { network, link } = await linked();
  const { wa, reader } = network;
  const url = 'https://example.com/a';
  const send = async (networkId: string, preview?: LinkPreview | null): Promise<unknown> => {
    const content: OutgoingMessage['content'] = {
      type: 'text',
      text: `Look: ${url}`,
      ...(preview !== undefined && { preview }),
    };
    const message = { networkId, to: reader.phoneNumber, isGroup: false, content };
    expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
    return wa.sentMessages().at(-1)?.content;
  };
  const page = { url, title: 'A page', description: 'About it', image: picture('subsampled') };
  const ids = ['3EB0A00000000000000001', '3EB0A00000000000000002', '3EB0A00000000000000003'] as const;
  const text = { type: 'text', text: `Look: ${url}` };

  const first = await send(ids[0], page);
  const expected = { matched: url, title: 'A page', description: 'About it' };
  expect(first).toMatchObject({ ...text, link: { ...expected, thumbnail: { length: expect.any(Number) } } });
  expect(await send(ids[0], null)).toEqual(first);
  expect(await send(ids[0], { ...page, title: 'It has changed' })).toEqual(first);

  const unreadable = { ...page, description: null, image: Buffer.from('no picture') };
  expect(await send(ids[1], unreadable)).toMatchObject({
    ...text,
    link: { title: 'A page', description: '', thumbnail: { length: 0 } },
  });
  expect(await send(ids[2])).toEqual(text);
});
