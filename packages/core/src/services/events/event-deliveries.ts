import { RETENTION_MS } from '../../domain/delivery/delivery.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { findEvent } from './find-events.ts';

/** The deliveries of an event, oldest first: one for each endpoint that the event went to. */
export async function listEventDeliveries(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<readonly Delivery[]>> {
  const event = await findEvent(context, workspaceId, id);
  if (!event.ok) return event;
  const since = context.clock.now() - RETENTION_MS;
  return ok(await context.storage.deliveries.listOfEvent(workspaceId, event.value, since));
}
