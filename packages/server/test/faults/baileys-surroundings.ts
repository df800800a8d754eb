import { startFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Group, Person } from '@trunkline/fake-whatsapp';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { watchRealWork } from './real-work.ts';
import type { SimulatedClock } from './simulated-clock.ts';
import { inMemory } from './surroundings.ts';
import type { Network, Surround } from './surroundings.ts';

const DAY_MS = 86_400_000;
const SECOND = 1_000;

/**
 * The gateway to WhatsApp, connected to a fake WhatsApp in this process through real sockets. Time stops while their
 * data, encryption and short timers are in flight, so a slow machine changes nothing. Baileys' long timers are real and
 * do not fire. A simulation is nevertheless not repeatable bit by bit, because keys are random, and work in the thread
 * pool ends in any order.
 */
export const withBaileys: Surround = async (clock) => {
  const work = watchRealWork();
  clock.alsoAwait(work);
  const wa = await startFakeWhatsApp({ now: clock.now });
  const untrust = wa.trust();
  return {
    ...(await inMemory(clock)),
    network: fakeWhatsAppNetwork(clock, wa),
    async close() {
      work.stop();
      untrust();
      await wa.stop();
    },
  };
};

type FakeWhatsApp = Awaited<ReturnType<typeof startFakeWhatsApp>>;

interface Phone {
  readonly account: Account;
  readonly group: Group;
}

function fakeWhatsAppNetwork(clock: SimulatedClock, wa: FakeWhatsApp): Network {
  const phones = new Map<string, Phone>();
  const people = new Map<string, Person>();
  const person = (number: string): Person => {
    const known = people.get(number) ?? wa.person(number, { name: `Person ${number.slice(-2)}` });
    people.set(number, known);
    return known;
  };
  // The service also sends to this number.
  for (const number of ['34600000004', '34600000011', '34600000012', '34600000013']) person(number);

  const phoneOf = (instanceId: string): Phone => {
    const known = phones.get(instanceId);
    if (known) return known;
    const account = wa.account(`5511900000${String(phones.size).padStart(3, '0')}`, { name: 'Shop' });
    const group = wa.group({ subject: 'Customers', members: [person('34600000011'), account] });
    const phone = { account, group };
    phones.set(instanceId, phone);
    return phone;
  };
  const linkedPhone = (instanceId: string): Phone => {
    const phone = phones.get(instanceId);
    if (!phone) throw new Error('The instance is not linked.');
    return phone;
  };
  /** Ignores a failure, because the instance may have no connection. */
  const drop = (account: Account): void => {
    try {
      wa.drop(account);
    } catch {}
  };

  return {
    gateway: baileysGateway({
      pace: 'off',
      socket: {
        waWebSocketUrl: wa.client.waWebSocketUrl,
        keepAliveIntervalMs: DAY_MS,
        connectTimeoutMs: DAY_MS,
        qrTimeout: DAY_MS,
      },
    }),
    async scan(instanceId, code) {
      wa.scanQr(phoneOf(instanceId).account, code);
    },
    async receive(instanceId, { from, text, file, groupNetworkId }) {
      const { account, group } = linkedPhone(instanceId);
      // No media host has the file when the message arrives.
      if (file?.delayMs !== undefined) {
        await new Promise<void>((resolve) => clock.setTimer(2 * SECOND, resolve));
        wa.failMedia(503, 3);
      }
      return wa.inbound(
        person(from),
        account,
        file ? { type: 'document', mimeType: 'text/plain', bytes: file.content, caption: text } : text,
        groupNetworkId === undefined ? {} : { group },
      );
    },
    async act(instanceId, about) {
      const { account, group } = linkedPhone(instanceId);
      const from = person('34600000011');
      const to = { remoteJid: account.lidJid, id: about, fromMe: true };
      await wa.inbound(from, account, { type: 'reaction', text: '👍', to });
      await wa.inbound(from, account, { type: 'edit', id: about, text: 'edited' });
      await wa.fromPhone(account, from, 'by the phone');
      wa.call(from, account);
      const added = wa.group({ subject: 'New', members: [from] });
      wa.addToGroup(added, account);
      await wa.inbound(from, account, 'in a group', { group });
    },
    drop: async (instanceId) => drop(linkedPhone(instanceId).account),
    async away(instanceId, ms) {
      const { account } = linkedPhone(instanceId);
      wa.refuseLogin(account, 503);
      clock.setTimer(ms, () => wa.allowLogin(account));
      drop(account);
    },
    accepted(instanceId) {
      const phone = phones.get(instanceId);
      if (!phone) return [];
      const messages = new Map<string, string>();
      for (const { id, content, refused } of wa.sentMessages({ from: phone.account }))
        if (refused === null) messages.set(id, textOf(content));
      return [...messages].map(([networkId, text]) => ({ networkId, text }));
    },
  };
}

function textOf(content: ReturnType<FakeWhatsApp['sentMessages']>[number]['content']): string {
  if (content.type === 'text') return content.text;
  return 'caption' in content ? (content.caption ?? '') : '';
}
