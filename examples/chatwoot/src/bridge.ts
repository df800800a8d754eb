import type { Trunkline } from '@trunkline/core';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createChatwootApi } from './chatwoot-api.ts';
import type { ChatwootSettings } from './chatwoot-api.ts';
import { fromChatwoot } from './from-chatwoot.ts';
import { openLinks } from './links.ts';
import { toChatwoot } from './to-chatwoot.ts';
import { isAuthentic } from './webhook-authenticity.ts';
import type { WebhookAuthenticity } from './webhook-authenticity.ts';

export interface BridgeOptions {
  readonly trunkline: Trunkline;
  readonly workspaceId: string;
  /** The id of the instance whose chats appear as conversations in the inbox. */
  readonly instance: string;
  readonly chatwoot: ChatwootSettings;
  /** How the bridge knows that a webhook comes from Chatwoot. */
  readonly webhook: WebhookAuthenticity;
  /** A SQLite file that links Trunkline's messages to Chatwoot's. */
  readonly database: string;
}

export interface Bridge {
  /** Handles the requests that Chatwoot posts to the webhook URL of the inbox. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Resolves once the handler is registered. From then on, no event is missed, even while this process is down. */
  readonly registered: Promise<void>;
  /** Call this after `trunkline.stop()`. */
  close(): void;
}

/** A Chatwoot message has at most 150,000 characters, and a webhook contains it several times. */
const MAX_WEBHOOK_BYTES = 5 * 1024 * 1024;

/** Synchronises the chats of a number with the conversations of a Chatwoot inbox. */
export function createBridge({ trunkline, workspaceId, instance, ...options }: BridgeOptions): Bridge {
  const chatwoot = createChatwootApi(options.chatwoot);
  const links = openLinks(options.database);
  const api = trunkline.workspace(workspaceId);
  const outgoing = fromChatwoot({ api, instance, inboxId: options.chatwoot.inboxId, chatwoot, links });
  const incoming = toChatwoot({ api, instance, chatwoot, links, sending: outgoing.sending });

  const { registered } = trunkline.on(
    [
      'message.received',
      'message.media_available',
      'message.echo',
      'message.delivered',
      'message.read',
      'message.failed',
    ],
    async (event, context) => {
      if (context.workspaceId === workspaceId) await incoming(event);
    },
    // One event at a time, so that each conversation is created once, and messages keep their order.
    { name: 'chatwoot', concurrency: 1 },
  );

  const app = new Hono();
  // Anyone can post, and a body must be read completely before it can be verified.
  app.post('*', bodyLimit({ maxSize: MAX_WEBHOOK_BYTES }), async ({ req }) => {
    const body = new Uint8Array(await req.arrayBuffer());
    if (!isAuthentic(options.webhook, req.raw, body)) return new Response(null, { status: 401 });
    return outgoing.receive(new TextDecoder().decode(body));
  });
  app.all('*', () => new Response(null, { status: 405, headers: { allow: 'POST' } }));

  return { registered, fetch: app.fetch, close: () => links.close() };
}
