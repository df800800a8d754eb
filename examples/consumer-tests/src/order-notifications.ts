import type { MessageResource, TrunklineClient } from '@trunkline/http/client';
import { verify } from '@trunkline/receiver';

/** An order of the example's shop. */
interface Order {
  readonly id: string;
  readonly phone: string;
}

type Status = MessageResource['status'];

export interface OrderNotifications {
  /** Notifies the customer that the order is on its way. Returns `queued`, or the reason why not. */
  shipped(order: Order): Promise<'queued' | 'opted_out' | 'wrong_number' | 'try_later'>;
  /** The route to which the messaging service sends its webhooks. */
  webhook(request: Request): Promise<Response>;
  /** The status of an order's notification; undefined if no message was accepted for the order. */
  statusOf(orderId: string): Status | undefined;
}

interface OrderNotificationsOptions {
  readonly client: TrunklineClient;
  readonly instance: string;
  readonly webhookSecret: string;
  /**
   * Returns the current time in epoch milliseconds, for checking webhooks. By default, reads the machine's clock; tests
   * may have their own.
   */
  readonly now?: () => number;
}

export function createOrderNotifications({
  client,
  instance,
  webhookSecret,
  now = Date.now,
}: OrderNotificationsOptions): OrderNotifications {
  const optedOut = new Set<string>();
  const messageOfOrder = new Map<string, string>();
  // Keyed by message, not by order, because a webhook may arrive before the response that contains the message's id.
  const statuses = new Map<string, Status>();

  return {
    async shipped({ id, phone }) {
      if (optedOut.has(phone.replaceAll(/\D/g, ''))) return 'opted_out';
      const text = `Your order ${id} is on its way.`;
      // The order's number is the key, so that a customer is notified once even if this runs again after a crash.
      const sent = await client.messages.send(
        { instance, to: phone, type: 'text', text },
        { idempotencyKey: `shipped-${id}` },
      );
      if (!sent.ok) return sent.error.code === 'INVALID_RECIPIENT' ? 'wrong_number' : 'try_later';
      messageOfOrder.set(id, sent.data.id);
      return 'queued';
    },

    async webhook(request) {
      const body = await request.arrayBuffer();
      const verified = await verify({
        secret: webhookSecret,
        headers: request.headers,
        body,
        receivedAt: now(),
      });
      if (!verified.ok) return new Response(verified.reason, { status: 401 });
      const { data } = verified.event;
      if ('message' in data) {
        const { id, status, text, from } = data.message;
        if (text === 'STOP' && from !== null) optedOut.add(from);
        statuses.set(id, later(statuses.get(id), status));
      }
      return new Response(null, { status: 204 });
    },

    statusOf(orderId) {
      const message = messageOfOrder.get(orderId);
      return message === undefined ? undefined : (statuses.get(message) ?? 'queued');
    },
  };
}

const ORDER: readonly Status[] = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'];

/** Webhooks may arrive out of order, so an earlier status never replaces a later one. */
function later(known: Status | undefined, reported: Status): Status {
  return known !== undefined && ORDER.indexOf(known) > ORDER.indexOf(reported) ? known : reported;
}
