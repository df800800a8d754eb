import type { WebhookEvent } from '@trunkline/receiver';

/** An event in one line: its type, its id, and its subject with the status at that moment. */
export function describeEvent(event: WebhookEvent): string {
  return [event.type, event.id, subjectOf(event)].join('  ');
}

function subjectOf({ data }: WebhookEvent): string {
  if ('message' in data) return `${data.message.id} ${data.message.status}`;
  if ('instance' in data) return `${data.instance.id} ${data.instance.status}`;
  // Types that are newer than this program come through as well.
  return 'webhook' in data ? data.webhook.id : '';
}
