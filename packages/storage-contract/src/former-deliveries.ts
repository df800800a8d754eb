import { describe, expect, it } from 'vitest';
import type { Delivery, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { anEvent, MIDNIGHT, testId } from './examples.ts';
import { claim, deleteHistory, happen, idsOf, storeEndpoint, storeLane } from './fixtures.ts';

/** A database in which deliveries can be made to be as former versions have made them. */
export interface FormerDatabase {
  readonly storage: Storage<never>;
  /** Gives an open delivery this id instead of its own, and its event the form of such a version. */
  makeFormer(delivery: Delivery, id: string): Promise<void>;
}

/** When the event happens, and when the ids of its deliveries were made, which did not have the event's order. */
const AT = MIDNIGHT - 1;
const MADE_AT = [AT - 20, AT + 30, AT + 100_000] as const;

/** The tests that a storage finds the deliveries of former versions, among those of other events. */
export function describeFormerDeliveries(name: string, open: () => Promise<FormerDatabase>): void {
  describe(`the deliveries that a former version has made on ${name}`, () => {
    it('are found by their event', async () => {
      const { storage, workspace, events, former } = await store(open);
      const idsOfEvent = async (index: number): Promise<readonly string[]> => {
        const event = must(events[index]);
        const list = await storage.deliveries.listOfEvent(workspace.id, event, 0);
        expect(list.every(({ eventId }) => eventId === event.id)).toBe(true);
        return list.map(({ id }) => id);
      };
      expect(await idsOfEvent(1)).toEqual(former);
      expect(await idsOfEvent(0)).toHaveLength(MADE_AT.length);
      expect(await idsOfEvent(2)).toHaveLength(MADE_AT.length);
    });

    it('are erased with it, and no others', async () => {
      const { storage, workspace, events, former } = await store(open);
      expect(await storage.erasure.deleteEvents(workspace.id, [must(events[1]).id])).toBe(1);
      for (const id of former) expect(await storage.deliveries.findDetail(workspace.id, id, 0)).toBeNull();
      const left = idsOf(await claim(storage, AT + 1));
      expect(left).toHaveLength(2 * MADE_AT.length);
    });

    it('have their event for as long as they are kept', async () => {
      const { storage, workspace, events, former } = await store(open);
      await deleteHistory(storage, MIDNIGHT);
      // Of those that were made before midnight nothing is left.
      expect(await storage.deliveries.findDetail(workspace.id, must(former[0]), 0)).toBeNull();
      for (const id of former.slice(1))
        expect(await storage.deliveries.findDetail(workspace.id, id, 0)).toMatchObject({
          payload: must(events[1]).payload,
        });
      const list = await storage.deliveries.listOfEvent(workspace.id, must(events[1]), 0);
      expect(list.map(({ id }) => id)).toEqual(former.slice(1));
    });
  });
}

/** The second of three events is the one of a former version. */
async function store(open: () => Promise<FormerDatabase>) {
  const { storage, makeFormer } = await open();
  const { workspace } = await storeLane(storage);
  for (let more = 1; more < MADE_AT.length; more += 1) await storeEndpoint(storage, workspace);
  const events = [AT - 1, AT, AT + 1].map((at) => anEvent(workspace, at));
  for (const event of events) await happen(storage, workspace, event);
  const made = await storage.deliveries.listOfEvent(workspace.id, must(events[1]), 0);
  const former = MADE_AT.map((at) => testId('whd', at));
  for (const [index, delivery] of made.entries()) await makeFormer(delivery, must(former[index]));
  return { storage, workspace, events, former };
}
