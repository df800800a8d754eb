import type { TranscriptEntry } from '@trunkline/fake-whatsapp';
import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { linked } from './support/linked.ts';

const message = (networkId: string, to: string, isGroup = false) =>
  ({ networkId, to, isGroup, content: { type: 'text', text: 'Hello' } }) as const;

it('the WhatsApp gateway takes receipts that name the chat by its hidden id, or come from another device', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const connection = link.connection();
  for (const id of ['3EB0AAAAAAAAAAAA01', '3EB0AAAAAAAAAAAA02']) {
    expect(await connection.send(message(id, reader.phoneNumber))).toEqual({ kind: 'accepted' });
  }
  wa.receipt(account, { by: reader, type: 'delivered', ids: ['3EB0AAAAAAAAAAAA01'], device: 3 });
  await link.first('receipt');
  wa.receipt(account, {
    by: reader,
    type: 'read',
    ids: ['3EB0AAAAAAAAAAAA01', '3EB0AAAAAAAAAAAA02'],
    addressing: 'lid',
  });
  await link.first('receipt', ({ receipt }) => receipt.networkId === '3EB0AAAAAAAAAAAA02');
  expect(link.all('receipt').map(({ receipt }) => receipt)).toEqual([
    { networkId: '3EB0AAAAAAAAAAAA01', status: 'delivered' },
    { networkId: '3EB0AAAAAAAAAAAA01', status: 'read' },
    { networkId: '3EB0AAAAAAAAAAAA02', status: 'read' },
  ]);
});

it('the WhatsApp gateway takes a voice note that was played for one that was read', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  await link.connection().send(message('3EB0AAAAAAAAAAAA03', reader.phoneNumber));
  wa.receipt(account, { by: reader, type: 'played', ids: ['3EB0AAAAAAAAAAAA03'] });
  expect((await link.first('receipt')).receipt).toEqual({ networkId: '3EB0AAAAAAAAAAAA03', status: 'read' });
});

it('the WhatsApp gateway counts receipts of the others in a group, not of our own phone', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const group = wa.group({ subject: 'Team', members: [reader] });
  wa.addToGroup(group, account);
  await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === group.jid));
  const networkId = '3EB0AAAAAAAAAAAA04';
  expect(await link.connection().send(message(networkId, group.jid, true))).toEqual({ kind: 'accepted' });
  wa.receipt(account, { by: account, type: 'delivered', ids: [networkId], group });
  wa.receipt(account, { by: account, type: 'read', ids: [networkId], group, addressing: 'pn' });
  wa.receipt(account, { by: reader, type: 'delivered', ids: [networkId], group });
  await link.first('receipt');
  wa.receipt(account, { by: reader, type: 'read', ids: [networkId], group });
  await link.first('receipt', ({ receipt }) => receipt.status === 'read');
  expect(link.all('receipt').map(({ receipt }) => receipt.status)).toEqual(['delivered', 'read']);
});

it('the WhatsApp gateway reports what it kept back and has acknowledged to the network, before the end', async () => {
  const { network, link, open } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const networkId = '3EB0AAAAAAAAAAAA05';
  await link.connection().send(message(networkId, reader.phoneNumber));
  await link.connection().close();
  wa.receipt(account, { by: reader, type: 'read', ids: [networkId] });
  wa.withholdOfflineMark();
  const again = await open();
  const isAck = ({ direction, node }: TranscriptEntry): boolean =>
    direction === 'received' && node.tag === 'ack' && node.attrs['class'] === 'receipt';
  await eventually(() => expect(wa.transcript().some(isAck)).toBe(true));
  await again.first('connected');
  expect(again.all('receipt')).toEqual([]);
  wa.streamError(account, { code: 503 });
  await again.first('closed');
  expect(again.all('receipt').map(({ receipt }) => receipt)).toEqual([{ networkId, status: 'read' }]);
});

it('the WhatsApp gateway takes the receipts of several members that come together, without those of our own phone', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const ann = wa.person('5511955550013');
  const group = wa.group({ subject: 'Team', members: [reader, ann] });
  wa.addToGroup(group, account);
  await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === group.jid));
  const ids = ['3EB0AAAAAAAAAAAA06', '3EB0AAAAAAAAAAAA07'];
  for (const id of ids)
    expect(await link.connection().send(message(id, group.jid, true))).toEqual({ kind: 'accepted' });
  wa.groupedReceipts(account, { by: [account], type: 'read', ids, group });
  wa.groupedReceipts(account, { by: [account, reader, ann], type: 'delivered', ids, group });
  wa.groupedReceipts(account, { by: [reader], type: 'read', ids: ids.slice(0, 1), group });
  // A receipt of one member still comes alone.
  wa.receipt(account, { by: ann, type: 'read', ids: ids.slice(1), group });
  await link.first('receipt', ({ receipt }) => receipt.networkId === ids[1] && receipt.status === 'read');
  const statusesOf = (id: string | undefined) =>
    link.all('receipt').flatMap(({ receipt }) => (receipt.networkId === id ? [receipt.status] : []));
  expect(ids.map(statusesOf)).toEqual([
    ['delivered', 'read'],
    ['delivered', 'read'],
  ]);
});
