import { setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { Gateway, SendOutcome } from '@trunkline/core/spi/gateway';

/** The network responds within this time, so that a kill comes before most of its responses. */
const RESPONSE_WITHIN_MS = 1_500;
const PRINT_SENDING_EVERY_MS = 10;

/**
 * Passes each message and action on, but withholds the response until each of this many instances sends as much as it
 * may, or longer. Then prints on lines `sending <count>` how many the network has not responded to.
 */
export function slowToRespond(gateway: Gateway, instances: number): Gateway {
  const { sendsAtOnce = 1 } = gateway;
  const sending = new Map<string, number>();
  const total = (): number => [...sending.values()].reduce((sum, count) => sum + count, 0);
  const full = Promise.withResolvers<void>();
  void full.promise.then(() => {
    setInterval(() => console.log(`sending ${total()}`), PRINT_SENDING_EVERY_MS);
  });
  return {
    ...gateway,
    async open(session, ...rest) {
      const connection = await gateway.open(session, ...rest);
      const change = (by: 1 | -1): void => {
        sending.set(session.instanceId, (sending.get(session.instanceId) ?? 0) + by);
        if (total() >= instances * sendsAtOnce) full.resolve();
      };
      const respondSlowly = async (outcome: Promise<SendOutcome> | undefined): Promise<SendOutcome> => {
        if (!outcome) throw new Error('The sandbox carries out actions.');
        await outcome;
        change(1);
        await full.promise;
        await setTimeout(RESPONSE_WITHIN_MS * Math.random());
        change(-1);
        return outcome;
      };
      return {
        ...connection,
        send: (message) => respondSlowly(connection.send(message)),
        act: (action) => respondSlowly(connection.act?.(action)),
      };
    },
  };
}
