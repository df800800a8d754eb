import { S_WHATSAPP_NET, getBinaryNodeChild, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { downloadMedia } from '../inbound/media-download.ts';
import type { MediaNetwork } from '../inbound/media-network.ts';
import { decodeValue } from '../session/json-value.ts';
import { readSalt, saveSalt } from '../session/privacy-tokens.ts';
import { namePages } from '../session/session-values.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';
import type { FieldStream } from './protobuf-fields.ts';
import { saltSearch, stateKey } from './shared-state.ts';
import type { SaltSearch, StateKey } from './shared-state.ts';

/** The collection that has the salt, among those that a phone shares with its linked devices. */
const SALT_COLLECTION = 'regular_high';

interface SaltSync {
  readonly socket: Pick<WASocket, 'query' | 'ws' | 'ev'>;
  readonly values: SessionValues;
  readonly media: MediaNetwork;
  readonly logger: ILogger;
}

/** Keeps the account's salt as its devices share it. */
export interface SaltWatch {
  /** Reads the salt if it was never read. Called once the connection is open. */
  start(): void;
}

export function watchSalt(sync: SaltSync): SaltWatch {
  const { socket, values, logger } = sync;
  let reading: Promise<void> | null = null;
  let isOutdated = false;
  const read = (): void => {
    isOutdated = reading !== null;
    reading ??= syncSalt(sync)
      // The next change, or the next connection, tries it again.
      .catch((error: unknown) =>
        logger.warn({ error }, 'the salt that the devices of an account share could not be read'),
      )
      .finally(() => {
        reading = null;
        if (isOutdated) read();
      });
  };
  interceptStanzas(socket, 'notification', ({ attrs, content }) => {
    const isChange = ({ tag, attrs: { name } }: BinaryNode): boolean =>
      tag === 'collection' && name === SALT_COLLECTION;
    if (attrs['type'] === 'server_sync' && Array.isArray(content) && content.some(isChange)) read();
    return false;
  });
  socket.ev.on('creds.update', ({ myAppStateKeyId }) => myAppStateKeyId && read());
  return {
    start() {
      const readFirst = async (): Promise<void> => {
        if ((await readSalt(values)).version === 0) read();
      };
      // A failed read ends the connection.
      readFirst().catch(() => undefined);
    },
  };
}

/**
 * Reads the account's salt from the state that its devices share, as whatsmeow's `appstate.go` does, since the version
 * that was read last. Everything else in it is skipped, so little of it is in memory. Rejects if a query fails.
 */
async function syncSalt({ socket, values, media }: SaltSync): Promise<void> {
  const keys = await readStateKeys(values);
  if (keys.length === 0) return;
  const { version } = await readSalt(values);
  const search = saltSearch(keys, version);
  let hasMore = true;
  while (hasMore) {
    const before = search.version();
    const collection = await queryCollection(socket, before);
    await readCollection(collection, { search, media });
    hasMore = collection.attrs['has_more_patches'] === 'true' && search.version() > before;
  }
  await saveSalt(values, { version: search.version(), change: search.found() });
}

const KEYS: string = keyName('app-state-sync-key', '');

async function readStateKeys(values: SessionValues): Promise<readonly StateKey[]> {
  const keys: StateKey[] = [];
  for await (const names of namePages(values, KEYS)) {
    for (const [name, bytes] of await values.read(names)) {
      const { keyData } = decodeValue<{ readonly keyData?: Uint8Array | string }>(bytes);
      const id = Buffer.from(name.slice(KEYS.length), 'base64');
      if (keyData)
        keys.push(stateKey(id, typeof keyData === 'string' ? Buffer.from(keyData, 'base64') : keyData));
    }
  }
  return keys;
}

async function queryCollection(socket: Pick<WASocket, 'query'>, version: number): Promise<BinaryNode> {
  const attrs = { name: SALT_COLLECTION, version: String(version), return_snapshot: String(version === 0) };
  const response = await socket.query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'w:sync:app:state' },
    content: [{ tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs }] }],
  });
  const sync = getBinaryNodeChild(response, 'sync');
  const collection = sync && getBinaryNodeChild(sync, 'collection');
  if (!collection || collection.attrs['type'] === 'error')
    throw new Error('WhatsApp did not say what the devices of the account share.');
  return collection;
}

interface Reading {
  readonly search: SaltSearch;
  readonly media: MediaNetwork;
}

async function readCollection(collection: BinaryNode, { search, media }: Reading): Promise<void> {
  const snapshot = getBinaryNodeChild(collection, 'snapshot')?.content;
  if (snapshot instanceof Uint8Array)
    await pass(fileOf(proto.ExternalBlobReference.decode(snapshot), media), search.snapshot());
  const patches = getBinaryNodeChild(collection, 'patches') ?? collection;
  for (const { content } of getBinaryNodeChildren(patches, 'patch')) {
    if (!(content instanceof Uint8Array)) continue;
    const stream = search.patch();
    stream.push(content);
    stream.end();
    const { externalMutations } = proto.SyncdPatch.decode(content);
    if (externalMutations) await pass(fileOf(externalMutations, media), search.mutations());
  }
}

async function pass(bytes: AsyncIterable<Uint8Array>, stream: FieldStream): Promise<void> {
  for await (const chunk of bytes) stream.push(chunk);
  stream.end();
}

function fileOf(blob: proto.IExternalBlobReference, media: MediaNetwork): AsyncIterable<Uint8Array> {
  const { mediaKey, directPath, fileSha256, fileSizeBytes } = blob;
  const source = {
    mediaKey: mediaKey ?? null,
    directPath: directPath ?? null,
    fileSha256: fileSha256 ?? null,
    fileLength: fileSizeBytes ?? null,
  };
  const reuploads = { pathOf: () => null, request: () => Promise.reject(new Error('The state is gone.')) };
  return downloadMedia({ key: {}, keyType: 'md-app-state', source }, { ...media, reuploads });
}
