import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { linked, textOf } from './support/linked.ts';

describe('what WhatsApp asks of a linked device', () => {
  it('keys that others have used up are replaced', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    wa.usePreKeys(account, 2);
    expect(wa.preKeyCount(account)).toBe(2);
    await eventually(() => expect(wa.preKeyCount(account)).toBe(52));
    await wa.inbound(reader, account, 'with a new key');
    await link.first('message', ({ message }) => textOf(message) === 'with a new key');
  });

  it('the next connections come to the place that WhatsApp has named', async () => {
    const { network, link, open } = await linked();
    const { wa, account } = network;
    expect(wa.routeOf(account)).toBeNull();
    wa.route(account, 'gru2');
    // The route is stored before the restriction is reported.
    wa.lockNewChats(account, Date.now() + 3_600_000, { isNotified: true });
    await link.first('restricted', ({ restriction }) => restriction !== null);
    await link.connection().close();
    await (await open()).first('connected');
    expect(wa.routeOf(account)).toBe('gru2');
  });

  it('the device never says that it is online, since the phone would notify its owner of nothing', async () => {
    const { network, link, open } = await linked();
    const { wa, account, reader } = network;
    await wa.fromPhone(account, reader, 'the name of the owner comes with this');
    await link.first('activity');
    await link.connection().close();
    await (await open()).first('connected');
    const said = () =>
      wa
        .transcript()
        .filter(({ direction, node }) => direction === 'received' && node.tag === 'presence')
        .map(({ node }) => node.attrs['type']);
    await eventually(() => expect(said()).toContain('unavailable'));
    expect(said()).not.toContain('available');
  });

  it('changes of what the devices of an account share are acknowledged, and hold nothing back', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    wa.keepRefused();
    const ids = ['regular', 'critical_block', 'unheard_of'].map((name) => wa.changeAppState(account, name));
    await wa.inbound(reader, account, 'after them');
    await link.first('message', ({ message }) => textOf(message) === 'after them');
    const acks = () =>
      wa
        .transcript()
        .filter(({ direction, node }) => direction === 'received' && node.tag === 'ack')
        .filter(({ node }) => ids.includes(node.attrs['id'] ?? ''))
        .map(({ node }) => node.attrs['error']);
    await eventually(() => expect(acks()).toEqual(ids.map(() => undefined)));
  });
});
