import { isMessageOf } from '../../domain/person/person.ts';
import type { Person } from '../../domain/person/person.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { noMedia } from '../../ports/media-store.ts';
import type { StoredMessage } from '../../ports/storage/erasure-store.ts';
import type { ServiceContext } from '../context.ts';
import { deleteAbandonedFiles } from '../media/uploads.ts';
import { deleteMessages } from './delete-messages.ts';
import { ownMessageIdOf } from './event-of-person.ts';
import { contactsOf, findPerson } from './find-person.ts';
import type { PersonInput } from './find-person.ts';
import { sessionValuesOf } from './session-values.ts';
import { eventsOf, messagesOf, messagesStillToCome } from './person-records.ts';
import type { PersonProgress, PersonWork } from './person-records.ts';

/** How a person is erased. */
export interface EraseOptions {
  /** Counts the data without erasing it. */
  readonly dryRun?: boolean | undefined;
  /** Ends the erasure between two steps. Erased data stays erased; repeat the call to erase the rest. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each step with its counts. */
  readonly onProgress?: ((progress: PersonProgress) => void) | undefined;
}

/** The counts of a person's data that was erased, or would be. */
export interface ErasedPerson {
  /** The numbers by which the person is known; digits only. */
  readonly numbers: readonly string[];
  /** The ids of the person's contacts in the workspace, `con_…`. */
  readonly contactIds: readonly string[];
  /** Messages of the person's chats, and the person's messages in groups. */
  readonly messages: number;
  /** How many of the messages have a stored file. */
  readonly files: number;
  /** Events, not counting their deliveries and attempts. */
  readonly events: number;
  /** Values that the gateway kept for the person. */
  readonly sessionValues: number;
  /** Contacts of the person, on all instances of the workspace. */
  readonly contacts: number;
  /**
   * Reasons why something could not be erased. Each is a sentence that says what to do. Empty if nothing is
   * left.
   */
  readonly left: readonly string[];
}

/**
 * Erases a person from a workspace: their messages, and all other data about them. Each step is short and
 * complete, so a message is deleted with everything stored about it. Contacts are deleted last, so that a
 * repeat of an interrupted erasure finds the person again.
 */
export async function erasePerson(
  context: ServiceContext,
  input: PersonInput,
  { dryRun = false, signal, onProgress = () => {} }: EraseOptions = {},
): Promise<Result<ErasedPerson>> {
  const found = await findPerson(context, input);
  if (!found.ok) return found;
  const work: PersonWork = { context, person: found.value, signal, onProgress };
  const survey = await surveyOf(work);
  return ok(dryRun ? survey.counts : await erase(work, survey));
}

interface Survey {
  readonly counts: ErasedPerson;
  /** The network ids of messages sent to the person. */
  readonly messageIds: Set<string>;
}

async function surveyOf(work: PersonWork): Promise<Survey> {
  const { context, person } = work;
  const messageIds = new Set<string>();
  let [messages, files, events] = [0, 0, 0];
  for await (const page of messagesOf(work)) {
    messages += page.length;
    files += page.filter(({ message }) => message.media?.available === true).length;
    noteSent(messageIds, page);
  }
  for await (const page of eventsOf(work)) events += page.length;
  const sessionValues = await sessionValuesOf(work, { messageIds, isErased: false });
  const contacts = (await contactsOf(context, person)).length;
  return {
    counts: { ...namesOf(person), messages, files, events, sessionValues, contacts, left: [] },
    messageIds,
  };
}

function noteSent(messageIds: Set<string>, page: readonly StoredMessage[]): void {
  for (const { message } of page) if (message.direction === 'outbound') messageIds.add(message.networkId);
}

function namesOf({ numbers, contactIds }: Person): Pick<ErasedPerson, 'numbers' | 'contactIds'> {
  return { numbers: [...numbers].toSorted(), contactIds: [...contactIds].toSorted() };
}

/**
 * The maximum number of passes over new messages. Messages that come later stay, so a person who keeps writing must be
 * erased again.
 */
const ROUNDS = 5;

async function erase(work: PersonWork, { counts, messageIds }: Survey): Promise<ErasedPerson> {
  const { context, person } = work;
  await context.storage.lookups.erase(person.workspaceId, [...person.numbers]);
  // Erase session values before messages, because only messages show what was sent to the person.
  let sessionValues = await sessionValuesOf(work, { messageIds, isErased: true });
  let [messages, files, events, contacts] = [0, 0, 0, 0];
  let left: readonly string[] = [];
  let from: string | null = null;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const toCome = messagesStillToCome(context);
    const sentBefore = messageIds.size;
    for await (const page of messagesOf(work, from)) {
      noteSent(messageIds, page);
      const deleted = await deletePage(work, page);
      messages += deleted.messages;
      events += deleted.events;
      files += page.filter(({ message }) => message.media?.available === true).length;
    }
    if (messageIds.size > sentBefore)
      sessionValues += await sessionValuesOf(work, { messageIds, isErased: true });
    const { deleted, stored } = await deleteEvents(work);
    events += deleted;
    left = [...(await deleteFiles(work)), ...(await purge(work))];
    const gone = await deleteContacts(work, toCome);
    contacts += gone.deleted;
    if (gone.left === 0 && stored === 0) break;
    from = toCome;
    if (round === ROUNDS)
      left = [
        ...left,
        'Messages from or to the person keep coming, and some are left: erase them once more.',
      ];
  }
  left = [...left, ...(await purge(work))];
  return { ...counts, messages, files, events, sessionValues, contacts, left: [...new Set(left)] };
}

/** The maximum numbers of messages and events that one transaction deletes. */
const MESSAGES = 50;
const EVENTS = 500;

async function deletePage(
  { context, person, signal }: PersonWork,
  page: readonly StoredMessage[],
): Promise<{ readonly messages: number; readonly events: number }> {
  let [messages, events] = [0, 0];
  for (let first = 0; first < page.length; first += MESSAGES) {
    const ids = page.slice(first, first + MESSAGES).map(({ message }) => message.id);
    const deletion = { ids, unfinished: 'deleted', limit: EVENTS } as const;
    signal?.throwIfAborted();
    for await (const deleted of deleteMessages(context, person.workspaceId, deletion)) {
      messages += deleted.messages;
      events += deleted.events;
      signal?.throwIfAborted();
    }
  }
  return { messages, events };
}

/**
 * Deletes the events of the person's acts, such as a reaction. Leaves and counts (`stored`) the events of messages that
 * came after the pass over messages, because each is deleted with its message in the next round.
 */
async function deleteEvents(
  work: PersonWork,
): Promise<{ readonly deleted: number; readonly stored: number }> {
  const { context, person } = work;
  const { storage } = context;
  const { workspaceId } = person;
  let [deleted, stored] = [0, 0];
  for await (const page of eventsOf(work)) {
    const ids: string[] = [];
    for (const event of page) {
      const messageId = ownMessageIdOf(person, event);
      const message = messageId === null ? null : await storage.messages.find(workspaceId, messageId);
      if (message && isMessageOf(person, { message, senderId: '' })) stored += 1;
      else ids.push(event.id);
    }
    deleted += await storage.erasure.deleteEvents(workspaceId, ids);
  }
  return { deleted, stored };
}

async function deleteFiles({ context, signal, onProgress }: PersonWork): Promise<readonly string[]> {
  if (context.mediaStore === noMedia)
    return (await context.storage.uploads.listAbandoned(1, 1)).length === 0
      ? []
      : ['Files are left, since this process has no media store: the server deletes them within a minute.'];
  const outcome = await deleteAbandonedFiles(context, {
    signal,
    onDeleted: (found) => onProgress({ step: 'files', looked: found, found }),
  });
  return outcome === 'deleted'
    ? []
    : ['Files are left that could not be deleted: check the media store; they are tried again every minute.'];
}

async function purge({ context, signal, onProgress }: PersonWork): Promise<readonly string[]> {
  signal?.throwIfAborted();
  onProgress({ step: 'database', looked: 0, found: 0 });
  const left = (await context.storage.purge?.()) ?? null;
  return left === null ? [] : [left];
}

async function deleteContacts(
  { context, person, onProgress }: PersonWork,
  unlessAfter: string,
): Promise<{ readonly deleted: number; readonly left: number }> {
  const contacts = await contactsOf(context, person);
  const ids = contacts.map(({ id }) => id);
  const deleted = await context.storage.erasure.deleteContacts(person.workspaceId, { ids, unlessAfter });
  onProgress({ step: 'contacts', looked: ids.length, found: deleted.length });
  return { deleted: deleted.length, left: ids.length - deleted.length };
}
