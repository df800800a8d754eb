import { expect } from 'vitest';
import type { Delivery, Message, Page, QueuedMessage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';

/** The content of a storage as it can be read. The rules use the named parts. */
export interface Observation {
  readonly workspaces: readonly ObservedWorkspace[];
  readonly endpoints: readonly ObservedDeliveries[];
  readonly heads: readonly QueuedMessage[];
  readonly [others: string]: unknown;
}

export interface ObservedWorkspace {
  readonly messages: Page<Message>;
  readonly [others: string]: unknown;
}

export interface ObservedDeliveries {
  readonly all: Page<Delivery>;
  readonly failed: Page<Delivery>;
  readonly pending: Page<Delivery>;
}

/** Checks the counts, orders and states of a storage, and how a step changed them. No step may break these rules. */
export function expectRules(
  name: string,
  { before, after }: { readonly before: Observation | null; readonly after: Observation },
): void {
  for (const { messages } of after.workspaces) expectNewestFirst(messages.rows);
  for (const { all, failed, pending } of after.endpoints) {
    expectNewestFirst(all.rows);
    for (const [status, { rows }] of Object.entries({ failed, pending }))
      expect(rows, `${status} deliveries`).toEqual(all.rows.filter((one) => one.status === status));
  }
  expectHeads(after);
  if (!before) return;

  const messages = byId(messagesOf(after));
  for (const { id } of messagesOf(before)) expect(messages.has(id), `${name} keeps ${id}`).toBe(true);
  const deliveries = byId(deliveriesOf(after));
  for (const earlier of deliveriesOf(before)) {
    const later = deliveries.get(earlier.id);
    if (later) expectFollows(earlier, later);
  }
}

/** A message that is next, and not held, is the oldest that is queued to its recipient, scheduled ones left out. */
function expectHeads(after: Observation): void {
  const queued = messagesOf(after).filter(
    (one) => one.direction === 'outbound' && one.status === 'queued' && one.sendAt === null,
  );
  for (const { message, action, heldSince } of after.heads) {
    if (action) {
      expect(action.status).toBe('queued');
      continue;
    }
    const before = queued.filter((one) => isBefore(one, message)).map(({ id }) => id);
    expect([message.status, heldSince === undefined ? before : []]).toEqual(['queued', []]);
  }
}

function isBefore(one: Message, other: Message): boolean {
  const isSameQueue = one.instanceId === other.instanceId && one.to === other.to;
  return isSameQueue && one.groupId === other.groupId && one.id < other.id;
}

function expectFollows(earlier: Delivery, later: Delivery): void {
  expect(later.attempts).toBeGreaterThanOrEqual(earlier.attempts);
  expect(must(FOLLOWING[earlier.status]), `a delivery that was ${earlier.status}`).toContain(later.status);
}

/** The states that a delivery can have after one step. A step may contain several attempts, or a retry. */
const OPEN = ['pending', 'retrying', 'success', 'failed', 'exhausted'];
const FOLLOWING: Readonly<Record<Delivery['status'], readonly string[]>> = {
  pending: OPEN,
  retrying: OPEN,
  success: ['success'],
  failed: ['failed', 'pending'],
  exhausted: ['exhausted', 'pending'],
};

function expectNewestFirst(rows: readonly { readonly id: string }[]): void {
  const ids = rows.map(({ id }) => id);
  expect(ids, 'newest first, and each once').toEqual([...new Set(ids)].toSorted().toReversed());
}

function messagesOf({ workspaces }: Observation): readonly Message[] {
  return workspaces.flatMap(({ messages }) => messages.rows);
}

function deliveriesOf({ endpoints }: Observation): readonly Delivery[] {
  return endpoints.flatMap(({ all }) => all.rows);
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
