import type { WebhookEvent } from '@trunkline/receiver';
import { printable } from './printable.ts';
import { cutToWidth } from './cut-to-width.ts';

const EXCERPT_WIDTH = 60;

export function eventLine(event: WebhookEvent): string {
  return [timeOf(event), event.type.padEnd(21), event.id, subjectOf(event)].map(printable).join('  ');
}

/** Formats an event's time like the other times that commands print, without its microseconds. */
export function timeOf({ created_at: at }: WebhookEvent): string {
  return at.replace(/(\.\d{3})\d{3}Z$/, '$1+00:00');
}

/** The subject of an event; `shorten` cuts its long texts. */
export function subjectOf({ data }: WebhookEvent, shorten: (text: string) => string = excerpt): string {
  if ('message' in data) {
    const { id, direction, from, to, text, caption } = data.message;
    const who = direction === 'inbound' ? `from ${from ?? '–'}` : `to ${to ?? '–'}`;
    return [id, who, shorten(text ?? caption ?? '')].filter((part) => part !== '').join('  ');
  }
  if ('instance' in data)
    return `${data.instance.id}  ${data.instance.status}  ${shorten(data.instance.name)}`;
  return instanceIn(data) ?? '';
}

export function instanceOf({ data }: WebhookEvent): string | undefined {
  if ('message' in data) return data.message.instance_id;
  return 'instance' in data ? data.instance.id : instanceIn(data);
}

function instanceIn(data: WebhookEvent['data']): string | undefined {
  if ('call' in data) return data.call.instance_id;
  return 'undecryptable' in data ? data.undecryptable.instance_id : undefined;
}

function excerpt(text: string): string {
  return cutToWidth(text, EXCERPT_WIDTH);
}
