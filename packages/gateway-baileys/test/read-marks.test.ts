import type { OutgoingAction } from '@trunkline/core/spi/gateway';
import { must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { hurriedClock, linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

describe('a read mark on WhatsApp', () => {
  it('is one receipt for the messages of a person, at their hidden id, without a lookup', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await wa.inbound(reader, account, text));
    const mark = await markOf(harness, ids);
    const asked = queries(harness);
    expect(await harness.link.connection().act?.(mark)).toEqual({ kind: 'accepted' });
    expect(reads(harness)).toEqual([
      { from: account.phoneNumber, to: reader.lidJid, type: 'read', ids: ids.toReversed() },
    ]);
    // The choice of the owner counts for a while.
    expect(await harness.link.connection().act?.(mark)).toEqual({ kind: 'accepted' });
    expect(queries(harness).slice(asked.length)).toEqual(['privacy']);
  });

  it.runIf(isLongForm)('is a receipt for the messages of each author in a group', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const eve = wa.person('5511977776666');
    const group = wa.group({ subject: 'Team', members: [reader, eve] });
    wa.addToGroup(group, account);
    await harness.link.first('groups', ({ groups }) =>
      groups.some(({ networkId }) => networkId === group.jid),
    );
    const ids = [];
    for (const author of [reader, eve, reader])
      ids.push(await wa.inbound(author, account, 'Hello', { group }));
    const [first, second, third] = ids;
    const mark = { ...(await markOf(harness, ids)), to: group.jid, isGroup: true };
    expect(await harness.link.connection().act?.(mark)).toEqual({ kind: 'accepted' });
    const receipt = { from: account.phoneNumber, to: group.jid, type: 'read' };
    expect(reads(harness)).toEqual([
      { ...receipt, ids: [third, first] },
      { ...receipt, ids: [second] },
    ]);
    expect(
      wa
        .transcript()
        .filter(({ node }) => node.tag === 'receipt' && node.attrs['type'] === 'read')
        .map(({ node }) => node.attrs['participant']),
    ).toEqual([reader.lidJid, eve.lidJid]);
  });

  it('waits until WhatsApp says which receipts the owner has chosen, and may show only to the owner', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    wa.shareReadReceipts(account, false);
    const id = await wa.inbound(reader, account, 'Hello');
    const mark = await markOf(harness, [id]);
    wa.refuseQueries('privacy/get/privacy', 429);
    expect(await harness.link.connection().act?.(mark)).toMatchObject({
      kind: 'not_sent',
      retryAfterMs: 60_000,
    });
    expect(reads(harness)).toEqual([]);
    expect(await harness.link.connection().act?.(mark)).toEqual({ kind: 'accepted' });
    expect(reads(harness)).toMatchObject([{ type: 'read-self', ids: [id] }]);
  });

  it.runIf(isLongForm)('has no outcome without the acknowledgement of its receipt', async () => {
    const harness = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = harness.network;
    const id = await wa.inbound(reader, account, 'Hello');
    const mark = await markOf(harness, [id]);
    wa.holdAcks();
    expect(await harness.link.connection().act?.(mark)).toMatchObject({ kind: 'unknown' });
    const closing = harness.link.connection().act?.(mark);
    await wa.receiptFor(id, 'read');
    wa.drop(account);
    expect(await closing).toMatchObject({ kind: 'unknown' });
  });
});

/** A mark of the last message, with the earlier ones. Waits until they have arrived. */
async function markOf({ link, network }: Linked, ids: readonly string[]): Promise<OutgoingAction> {
  const messages = [];
  for (const id of ids) {
    const { message } = await link.first('message', (one) => one.message.networkId === id);
    messages.unshift({ networkId: id, senderId: message.senderId });
  }
  const [about, ...earlier] = messages;
  return {
    networkId: '3EB0000000000000000001',
    to: network.reader.phoneNumber,
    isGroup: false,
    about: must(about),
    deed: { kind: 'read_mark', earlier },
  };
}

/** The receipts for read messages that the client has sent. */
function reads({ network: { wa, account } }: Linked) {
  return wa.receipts(account).filter(({ type }) => type.startsWith('read'));
}

/** The namespaces of the queries that the client has made. */
function queries({ network: { wa } }: Linked): readonly string[] {
  return wa
    .transcript()
    .flatMap(({ direction, node }) =>
      direction === 'received' && node.tag === 'iq' ? (node.attrs['xmlns'] ?? []) : [],
    )
    .filter((name) => name === 'privacy' || name === 'usync');
}
