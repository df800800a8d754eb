/** The chapters of the reference, by the first part of the paths in them. */
const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  'api-key': { name: 'API key', description: 'Whose key it is and what it may do.' },
  instances: {
    name: 'Instances',
    description:
      'An instance is one linked phone number: created, connected by scanning its QR, disconnected, deleted.',
  },
  messages: {
    name: 'Messages',
    description: 'Messages are queued to phone numbers and groups, listed and read.',
  },
  webhooks: { name: 'Webhooks', description: 'Endpoints that are told of events by signed requests.' },
  'webhook-deliveries': {
    name: 'Deliveries',
    description: 'How an event reached an endpoint, attempt by attempt.',
  },
};

export const ALL_TAGS: readonly { readonly name: string; readonly description: string }[] =
  Object.values(TAGS);

export function tagOf(path: string): string {
  const tag = TAGS[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`${path} belongs to no chapter.`);
  return tag.name;
}
