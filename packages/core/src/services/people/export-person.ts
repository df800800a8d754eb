import type { Event } from '../../domain/event/event.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Result } from '../../domain/result.ts';
import { ok } from '../../domain/result.ts';
import { contactResource, messageResource } from '../../resources/message.ts';
import type { MessageResource } from '../../resources/message.ts';
import { timestamp } from '../../resources/time.ts';
import type { ServiceContext } from '../context.ts';
import { contactsOf, findPerson } from './find-person.ts';
import type { PersonInput } from './find-person.ts';
import { eventsOf, messagesOf } from './survey.ts';
import type { PersonProgress, PersonWork } from './survey.ts';

export interface ExportOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PersonProgress) => void) | undefined;
}

/** A stored item about a person, in the shapes and with the names of the REST API. */
export type ExportedItem =
  | { readonly kind: 'contact'; readonly contact: ExportedContact }
  | {
      readonly kind: 'message';
      readonly message: MessageResource;
      /** Opens the file of the message; null if none is stored. */
      readonly openFile: (() => Promise<ReadableStream<Uint8Array> | null>) | null;
    }
  /** The body of an event, as receivers got it. */
  | { readonly kind: 'event'; readonly event: unknown };

/** A contact with all that names the person on the network. */
export interface ExportedContact {
  readonly id: string;
  readonly instance_id: string;
  readonly name: string | null;
  readonly phone_number: string | null;
  readonly dialled_numbers: readonly string[];
  readonly username: string | null;
  readonly network_ids: readonly string[];
  readonly former_ids: readonly string[];
  readonly created_at: string;
}

/** All that is stored about a person: their contacts, their messages, then the events of these, each oldest first. */
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
  for await (const page of messagesOf(work))
    for (const { message } of page)
      yield {
        kind: 'message',
        message: messageResource(message),
        openFile:
          message.media?.available === true ? () => context.mediaStore.get(contentIdOf(message)) : null,
      };
  for await (const page of eventsOf(work))
    for (const event of page) yield { kind: 'event', event: bodyOf(event) };
}

function bodyOf({ payload }: Event): unknown {
  return JSON.parse(payload); // `isEventOf` has read it
}
