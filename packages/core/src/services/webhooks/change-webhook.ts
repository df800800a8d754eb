import type { ClosingReason } from '../../domain/delivery/delivery.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { WebhookEndpoint } from '../../domain/webhook/endpoint.ts';
import type { ServiceContext } from '../context.ts';
import { findWebhook } from './find-webhook.ts';

export interface EndpointChange {
  readonly endpoint: WebhookEndpoint;
  readonly close?: ClosingReason;
  /** Write the endpoint's failure record too. */
  readonly withHealth?: boolean;
  /** How many endpoints the plan lets be enabled, where this enables one. */
  readonly enabledLimit?: number;
}

/** Changes an endpoint: reads, decides, writes, and starts over when somebody else wrote in between. */
export async function changeWebhook(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  decide: (endpoint: WebhookEndpoint) => EndpointChange,
): Promise<Result<WebhookEndpoint>> {
  for (;;) {
    const found = await findWebhook(context, workspaceId, id);
    if (!found.ok) return found;
    const { endpoint, close, withHealth, enabledLimit } = decide(found.value);
    const { failingSince, warnedAt } = found.value.health;
    const written = await context.storage.webhooks.write({
      endpoint,
      ...(close ? { close } : {}),
      ...(withHealth ? { health: { failingSince, warnedAt } } : {}),
      ...(enabledLimit === undefined ? {} : { enabledLimit }),
    });
    if (written === 'limit_reached')
      return refuse('WEBHOOK_LIMIT_REACHED', `The plan allows ${enabledLimit} enabled webhook endpoints.`);
    if (written === 'written') return ok(endpoint);
  }
}
