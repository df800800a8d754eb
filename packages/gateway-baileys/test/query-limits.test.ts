import { silentLogger } from '@trunkline/core';
import { HANG_MS, until } from '@trunkline/test-support';
import { expect, it } from 'vitest';
import { must, startLinkedFlow, untilMessage } from './support/flow.ts';
import { acceleratingClock } from './support/linked.ts';

const SPEED = 20;
const PEOPLE = 4;

it('messages to more people than WhatsApp lets the number ask about in a minute are held, and arrive once', async () => {
  const { clock, accelerate } = acceleratingClock();
  const flow = await startLinkedFlow({ clock, logger: silentLogger });
  const { wa, account, instance, service } = flow;
  const people = Array.from({ length: PEOPLE }, (_, index) => wa.person(`551197777000${String(index)}`));
  const refusals = () =>
    wa
      .transcript()
      .filter(
        ({ direction, node }) => direction === 'sent' && JSON.stringify(node).includes('rate-overlimit'),
      );
  // WhatsApp's minute ends when the test says so, because the queries take as long as the machine needs.
  wa.limitQueries({ count: 10, everyMs: HANG_MS }, 'usync/get/usync', 'encrypt/get/key');
  accelerate(SPEED);
  const { client } = service();
  const sent: string[] = [];
  for (const { phoneNumber: to } of people)
    sent.push(must(await client.messages.send({ instance, to, type: 'text', text: `To ${to}` })).id);
  await until('WhatsApp has refused a query', () => refusals().length > 0);
  const refusedAt = clock.now();
  await until('most of a minute is over', () => clock.now() > refusedAt + 50_000);
  wa.unlimitQueries();
  for (const id of sent) expect(await untilMessage(flow, id, 'sent')).toMatchObject({ error: null });
  expect(people.map((person) => wa.inbox(person).length)).toEqual(people.map(() => 1));
  expect(wa.sentMessages({ from: account })).toHaveLength(PEOPLE);
  // A held message is not retried before its minute is over.
  expect(refusals().length).toBeLessThanOrEqual(PEOPLE * 4);
});
