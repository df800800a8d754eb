import type { Event } from '../../domain/event/event.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Result } from '../../domain/result.ts';
import { ok } from '../../domain/result.ts';
import { contactResource, messageResource } from '../../resources/message.ts';
import type { MessageResource } from '../../resources/message.ts';
import { actionResource } from '../../resources/message-action.ts';
import type { MessageActionResource } from '../../resources/message-action.ts';
import { timestamp } from '../../resources/time.ts';
import type { ServiceContext } from '../context.ts';
import { contactsOf, findPerson } from './find-person.ts';
import type { PersonInput } from './find-person.ts';
import { eventsOf, messagesOf } from './person-records.ts';
import type { PersonProgress, PersonWork } from './person-records.ts';

/** How a person is exported. */
export interface ExportOptions {
  /** Ends the export between two steps. The generator then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each step with its counts. */
  readonly onProgress?: ((progress: PersonProgress) => void) | undefined;
}

/** A stored item about a person, in the shapes and with the names of the REST API. */
export type ExportedItem =
  | {
      /** Determines the other fields. */
      readonly kind: 'contact';
      /** The contact, with all names and ids of the person. */
      readonly contact: ExportedContact;
    }
  | {
      /** Determines the other fields. */
      readonly kind: 'message';
      /** The message, as REST shows it. */
      readonly message: MessageResource;
      /** Opens the file of the message; null if no file is stored. */
      readonly openFile: (() => Promise<ReadableStream<Uint8Array> | null>) | null;
    }
  | {
      /** Determines the other fields. */
      readonly kind: 'action';
      /** An action on one of the messages, as REST shows it. */
      readonly action: MessageActionResource;
    }
  | {
      /** Determines the other fields. */
      readonly kind: 'vote';
      /** A vote of the person in a poll. */
      readonly vote: ExportedVote;
    }
  /** The body of an event, as receivers got it. */
  | {
      /** Determines the other fields. */
      readonly kind: 'event';
      /** The JSON of the event, as receivers got it. */
      readonly event: unknown;
    };

/** A vote in a poll. */
export interface ExportedVote {
  /** The poll, `msg_…`. */
  readonly message_id: string;
  /** The chosen answers; empty if the vote was taken back. */
  readonly options: readonly string[];
  /** When the person voted; ISO 8601 with an offset. */
  readonly at: string;
}

/** A contact with all names and ids of the person on the network. */
export interface ExportedContact {
  /** `con_…` */
  readonly id: string;
  /** The instance that knows the person, `ins_…`. */
  readonly instance_id: string;
  /** The name that the person gave themselves; null if it is not known. */
  readonly name: string | null;
  /** Digits only; null while the network hides the number. */
  readonly phone_number: string | null;
  /** Other numbers that messages to the person were sent to; digits only. */
  readonly dialled_numbers: readonly string[];
  /** The person's name on the network; null if they have no such name. */
  readonly username: string | null;
  /** The person's addresses on the network. */
  readonly network_ids: readonly string[];
  /** Ids of contacts that were merged into this contact, `con_…`. */
  readonly former_ids: readonly string[];
  /** When the contact was first seen; ISO 8601 with an offset. */
  readonly created_at: string;
}

/**
 * Exports a person's contacts, then their votes in polls, then their messages with the actions on them, then the events of
 * their messages and of their acts, such as reactions, each oldest first.
 */
export async function exportPerson(
  context: ServiceContext,
  input: PersonInput,
  { signal, onProgress = () => {} }: ExportOptions = {},
): Promise<Result<AsyncGenerator<ExportedItem>>> {
  const found = await findPerson(context, input);
  return found.ok ? ok(itemsOf({ context, person: found.value, signal, onProgress })) : found;
}

async function* itemsOf(work: PersonWork): AsyncGenerator<ExportedItem> {
  const { context, person } = work;
  for (const contact of await contactsOf(context, person)) {
    const { instanceId, networkId, aliases, formerIds, createdAt } = contact;
    yield {
      kind: 'contact',
      contact: {
        ...contactResource(contact),
        instance_id: instanceId,
        network_ids: [networkId, ...aliases],
        former_ids: formerIds,
        created_at: timestamp(createdAt),
      },
    };
  }
  const { storage } = context;
  for (const vote of await storage.votes.listOfPeople(person.workspaceId, [...person.contactIds])) {
    const { messageId, options, votedAt } = vote;
    yield { kind: 'vote', vote: { message_id: messageId, options, at: timestamp(votedAt) } };
  }
  for await (const page of messagesOf(work)) {
    for (const { message } of page)
      yield {
        kind: 'message',
        message: messageResource(message),
        openFile:
          message.media?.available === true ? () => context.mediaStore.get(contentIdOf(message)) : null,
      };
    const ids = page.map(({ message }) => message.id);
    for (const action of await context.storage.actions.listOnMessages(person.workspaceId, ids))
      yield { kind: 'action', action: actionResource(action) };
  }
  for await (const page of eventsOf(work))
    for (const event of page) yield { kind: 'event', event: bodyOf(event) };
}

function bodyOf({ payload }: Event): unknown {
  return JSON.parse(payload); // valid JSON: `isEventOf` has parsed it
}
