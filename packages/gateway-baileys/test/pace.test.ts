import { manualClock } from '@trunkline/core/testing';
import type { SendOutcome } from '@trunkline/core/spi/gateway';
import type { ManualClock } from '@trunkline/core/testing';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { eventually } from '@trunkline/test-support';
import { expect, it } from 'vitest';
import { must, startLinkedFlow } from './support/flow.ts';
import type { Flow } from './support/flow.ts';
import { linked, unlinked } from './support/linked.ts';

const DAY = 86_400_000;

async function send({ service, instance }: Flow, to: string): Promise<string> {
  return must(await service().client.messages.send({ instance, to, type: 'text', text: `to ${to}` })).id;
}

/** Waits until the message is sent, while time passes on the service's clock only. */
function untilSent({ service }: Flow, clock: ManualClock, id: string): Promise<string> {
  return eventually(async () => {
    await clock.advance(100);
    const { status, sent_at } = must(await service().client.messages.get(id));
    if (status !== 'sent' || sent_at === null) throw new Error(`The message is ${status}.`);
    return sent_at;
  });
}

it('a WhatsApp number sends at its pace, and in its first ten days to a few new people a day', async () => {
  const clock = manualClock();
  const pace = { messagesPerMinute: 60, newPeoplePerDay: 2 };
  const flow = await startLinkedFlow({ clock, gateway: { pace } });
  const { wa, account, bob, service } = flow;
  const [carol, dave, eve] = ['5511977770001', '5511977770002', '5511977770003'].map((phone) =>
    wa.person(phone),
  ) as [typeof bob, typeof bob, typeof bob]; // as many as there are numbers
  const ids = [];
  for (const { phoneNumber } of [bob, carol, bob, dave, eve]) ids.push(await send(flow, phoneNumber));
  const [toBob = '', toCarol = '', again = '', toDave = '', toEve = ''] = ids;

  const times: number[] = [];
  for (const id of [toBob, toCarol, again]) times.push(Date.parse(await untilSent(flow, clock, id)));
  const intervals = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...intervals)).toBeGreaterThanOrEqual(500);
  for (const id of [toDave, toEve])
    await eventually(async () => {
      await clock.advance(100);
      expect(must(await service().client.messages.standing(id)).code).toBe('waiting_for_pace');
    });

  await wa.inbound(eve, account, 'Hello shop');
  await untilSent(flow, clock, toEve);
  expect(must(await service().client.messages.get(toDave)).status).toBe('queued');
  clock.jump(DAY);
  await untilSent(flow, clock, toDave);
  for (const person of [carol, dave, eve]) expect(wa.inbox(person)).toHaveLength(1);
});

it('a WhatsApp number is gentle unless its gateway says otherwise', async () => {
  const paceWith = async (pace?: Parameters<typeof baileysGateway>[0]): Promise<unknown> =>
    (await (await unlinked({ gateway: pace ?? {} })).open()).connection().pace;
  expect(await paceWith()).toEqual({ messagesPerMinute: 20, newPeoplePerDay: 30, typing: false });
  const off = { messagesPerMinute: null, newPeoplePerDay: null, typing: false };
  expect(await paceWith({ pace: 'off' })).toEqual(off);
  const own = { messagesPerMinute: null, newPeoplePerDay: 0, typing: true };
  expect(await paceWith({ pace: own })).toEqual(own);
  expect(await paceWith({ pace: { messagesPerMinute: 5 } })).toEqual({
    messagesPerMinute: 5,
    newPeoplePerDay: 30,
    typing: false,
  });
});

it('a WhatsApp number shows that it is typing before a text', async () => {
  const { network, link } = await linked();
  const { wa, reader } = network;
  const send = (networkId: string, typingMs: number): Promise<SendOutcome> =>
    link.connection().send({
      networkId,
      to: reader.phoneNumber,
      isGroup: false,
      typingMs,
      content: { type: 'text', text: 'Hello' },
    });
  const typed = (): string => wa.transcriptText().replace(/^(?!.*→ .*<(?:chatstate|message)).*\n?/gm, '');
  expect(await send('3EB0000000000000000001', 0)).toEqual({ kind: 'accepted' });
  expect(typed()).not.toContain('<chatstate');
  expect(await send('3EB0000000000000000002', 200)).toEqual({ kind: 'accepted' });
  expect(typed()).toMatch(/<chatstate .*<composing.*\n.*<message .*3EB0000000000000000002/);
  const [first, second] = wa.sentMessages();
  expect((second?.receivedAt ?? 0) - (first?.receivedAt ?? 0)).toBeGreaterThanOrEqual(200);
});

it.each([
  [{ messagesPerMinute: 0 }, 'pace.messagesPerMinute'],
  [{ messagesPerMinute: 601 }, 'pace.messagesPerMinute'],
  [{ messagesPerMinute: Number.NaN }, 'pace.messagesPerMinute'],
  [{ newPeoplePerDay: -1 }, 'pace.newPeoplePerDay'],
  [{ newPeoplePerDay: 10_001 }, 'pace.newPeoplePerDay'],
  [{ typing: 'yes' }, 'pace.typing'],
  [{ perMinute: 5 }, 'there is no option "perMinute"'],
  ['slow', 'it must be "gentle", "off" or an object'],
])('the WhatsApp gateway refuses the pace %o', (pace, why) => {
  expect(() => baileysGateway({ pace: pace as 'off' })).toThrow(why); // wrong on purpose
});
