import { keyOfCounterpart } from '../../domain/chat/chat-key.ts';
import { isId, nextId } from '../../domain/id.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import { parseRecipient } from '../../domain/message/recipient.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import { queryWords } from '../../domain/search/search-words.ts';
import type { Result } from '../../domain/result.ts';
import { messageQuery } from '../../inputs/messages.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import type { ServiceContext } from '../context.ts';
import { filteredPage } from '../filtered-page.ts';
import { findInstance } from '../instances/instances.ts';
import { readPage } from '../paging.ts';
import type { ListPage } from '../paging.ts';

export async function findMessage(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<Message>> {
  const message = isId('msg', id) ? await context.storage.messages.find(workspaceId, id) : null;
  return message ? ok(message) : noMessage();
}

export function noMessage(): ReturnType<typeof refuse> {
  return refuse('MESSAGE_NOT_FOUND', 'There is no such message in this workspace.');
}

export async function listMessages(
  context: ServiceContext,
  workspaceId: string,
  query: unknown,
): Promise<Result<ListPage<Message>>> {
  const read = readInput(messageQuery, query);
  if (!read.ok) return read;
  const { instance, direction, type, status, origin, q } = read.value;
  const counterpart = readCounterpart(read.value.counterpart);
  if (!counterpart.ok) return counterpart;
  const filter = [instance ?? null, direction ?? null, type ?? null, status ?? null];
  const own = [
    ...(counterpart.value === null ? [] : [keyOfCounterpart(counterpart.value)]),
    ...(origin === undefined ? [] : [`origin ${origin}`]),
    ...(q === undefined ? [] : [`q ${shortHash(context, q)}`]),
  ];
  const words = q === undefined ? undefined : queryWords(q);
  const madeFor = { prefix: 'msg', filter: [...filter, ...own] } as const;
  const passes = ({ origin: from }: Message): boolean =>
    origin === 'any' || (from === 'device') === (origin === 'device');
  return readPage(read.value, madeFor, async (request) => {
    if (instance !== undefined) {
      const found = await findInstance(context, workspaceId, instance);
      if (!found.ok) return found;
    }
    const wanted = {
      ...(instance === undefined ? {} : { instanceId: instance }),
      ...(direction !== undefined && { direction }),
      ...(direction === undefined && origin === 'device' && { direction: 'outbound' as const }),
      ...(type === undefined ? {} : { type }),
      ...(status === undefined ? {} : { statuses: status }),
      ...(counterpart.value === null ? {} : { counterpart: counterpart.value }),
    };
    const id = q?.trim() ?? '';
    if (isId('msg', id)) {
      const list = (part: PageRequest) => context.storage.messages.list(workspaceId, wanted, part);
      return ok(await pageOfOne(request, id, { list, passes }));
    }
    if (words?.length === 0) return ok(NOTHING);
    const sought = { ...wanted, ...(words !== undefined && { words }) };
    const find = (part: PageRequest) => context.storage.messages.list(workspaceId, sought, part);
    // Inbound messages need no filter by origin.
    if (origin === 'any' || (origin === undefined && direction === 'inbound')) return ok(await find(request));
    return ok(await filteredPage(request, passes, find));
  });
}

/** Instead of a query, because a cursor has a maximum length. */
function shortHash({ crypto }: ServiceContext, query: string): string {
  return crypto.sha256(query).slice(0, 12);
}

const NOTHING: Page<Message> = { rows: [], hasOlder: false, hasNewer: false };

/** The message with this id, if it passes the filters. The list begins at it, so that one row shows this. */
async function pageOfOne(
  { from }: PageRequest,
  id: string,
  {
    list,
    passes,
  }: {
    readonly list: (request: PageRequest) => Promise<Page<Message>>;
    readonly passes: (message: Message) => boolean;
  },
): Promise<Page<Message>> {
  if (from !== null && (from.direction === 'older') === id >= from.id) return NOTHING;
  const { rows } = await list({ from: { direction: 'older', id: nextId('msg', id) }, limit: 1 });
  return { ...NOTHING, rows: rows.filter((message) => message.id === id && passes(message)) };
}

/** Reads a counterpart. An unknown id is allowed, because messages may outlive their group or contact. */
function readCounterpart(text: string | undefined): Result<Recipient | null> {
  if (text === undefined) return ok(null);
  const counterpart = parseRecipient(text);
  return counterpart.ok ? counterpart : invalid({ counterpart: [COUNTERPART_RULE] });
}

const COUNTERPART_RULE =
  'Must be a phone number with its country code, the id of a contact, or the id of a group.';

/** A stored file to download. */
export interface MediaDownload {
  /** The type of the file, such as `image/jpeg`. */
  readonly mimeType: string;
  /** The file name, without directories. */
  readonly filename: string;
  /** The size of the whole file, in bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string | null;
  /** Opens the content, or an inclusive range of it. */
  open(range?: {
    /** The first byte, from 0. */
    readonly start: number;
    /** The last byte, included. */
    readonly end: number;
  }): Promise<ReadableStream<Uint8Array>>;
}

export async function readMedia(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<MediaDownload>> {
  const found = await findMessage(context, workspaceId, id);
  if (!found.ok) return found;
  const { media } = found.value;
  const contentId = contentIdOf(found.value);
  const size = media?.available ? await context.mediaStore.size(contentId) : null;
  if (!media || size === null) return notAvailable();
  const { mimeType, filename, sha256 } = media;
  return ok({
    mimeType,
    filename,
    size,
    sha256,
    open: async (range) => {
      const content = await context.mediaStore.get(contentId, range);
      if (!content)
        throw new Error(`The file of ${id} was deleted from the media store just before it was read.`);
      return content;
    },
  });
}

function notAvailable(): ReturnType<typeof refuse> {
  return refuse(
    'MEDIA_NOT_AVAILABLE',
    'There is no stored file of this message: only one whose media.available is true can be downloaded.',
  );
}
