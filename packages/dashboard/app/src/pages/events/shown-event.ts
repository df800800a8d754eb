/** An event as the page shows it, or a place where events may be missing. */
export type ShownEvent =
  | {
      readonly kind: 'event';
      readonly id: string;
      readonly type: string;
      readonly at: string | null;
      readonly instanceId: string | null;
      readonly messageId: string | null;
      /** The event as webhooks report it. */
      readonly body: unknown;
      /** The same as it came, if it came by the stream. */
      readonly text?: string;
    }
  | { readonly kind: 'gap'; readonly id: string };

/** Reads only what it finds, because a newer service may send other events. */
export function shownEvent(id: string, type: string, body: unknown, text?: string): ShownEvent {
  const data = field(body, 'data');
  const message = field(data, 'message');
  const instanceId =
    field(message, 'instance_id') ??
    field(field(data, 'instance'), 'id') ??
    field(field(data, 'call'), 'instance_id');
  return {
    kind: 'event',
    id,
    type,
    at: textOf(field(body, 'created_at')),
    instanceId: textOf(instanceId),
    messageId: textOf(field(message, 'id')),
    body,
    ...(text !== undefined && { text }),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
