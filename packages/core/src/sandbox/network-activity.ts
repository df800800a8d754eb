import type { ContactReport } from '../domain/contact/contact.ts';
import type { Activity, IncomingContent } from '../ports/gateway.ts';
import type { NetworkActivity, WrittenMessage } from './network-record.ts';
import { personOf } from './person.ts';
import { referenceTo } from './sandbox-files.ts';

/** Converts an activity to the form in which a gateway reports it; `contentOf` converts the content of an echo. */
export function activityOf(
  activity: NetworkActivity,
  contentOf: (message: WrittenMessage) => IncomingContent,
): Activity {
  const { networkId, at } = activity;
  switch (activity.kind) {
    case 'echo': {
      const { to, groupNetworkId } = activity;
      const contact = personOrNull(to);
      const content = contentOf(activity);
      return { kind: 'echo', networkId, to, groupNetworkId, contact, sentAt: at, replyTo: null, content };
    }
    case 'reaction':
    case 'vote':
    case 'edit':
    case 'deletion': {
      const { networkId: _, contact, author, ...deed } = activity;
      return { ...deed, author: personOrNull(author)?.networkId ?? null, contact: personOrNull(contact) };
    }
    case 'media_update': {
      const { contact, author, file, ...deed } = activity;
      const people = { author: personOrNull(author)?.networkId ?? null, contact: personOrNull(contact) };
      return { ...deed, ...people, type: file.type, reference: referenceTo(networkId) };
    }
    case 'undecryptable': {
      const { kind, from, groupNetworkId, reason } = activity;
      const contact = personOf(from);
      return { kind, networkId, senderId: contact.networkId, groupNetworkId, contact, sentAt: at, reason };
    }
    case 'call': {
      const { kind, from, groupNetworkId, video } = activity;
      return { kind, networkId, contact: personOf(from), groupNetworkId, video, at };
    }
  }
}

function personOrNull(number: string | null): ContactReport | null {
  return number === null ? null : personOf(number);
}
