import { proto } from '@whiskeysockets/baileys';
import { sealFile } from '../media/media-cipher.ts';
import { children, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Connection } from './connection.ts';

/** The only collection that has anything in it. */
const SALT_COLLECTION = 'regular_high';

/** Responds with what the account's devices share: a file at first, and then what has changed since. */
export async function respondToStateQuery(connection: Connection, query: Stanza): Promise<void> {
  const [sync] = children(query);
  const collections: Stanza[] = [];
  for (const { attrs } of children(sync, 'collection'))
    collections.push(await collectionOf(connection, attrs));
  connection.reply(query, [stanza('sync', {}, collections)]);
}

async function collectionOf(connection: Connection, { name, version }: Stanza['attrs']): Promise<Stanza> {
  const attrs = { name, version, has_more_patches: 'false' };
  const { state, isStateShared } = connection.client.account;
  if (name !== SALT_COLLECTION || !isStateShared) return stanza('collection', attrs, []);
  if (version === '0')
    return stanza('collection', attrs, [
      stanza('snapshot', {}, await uploaded(connection, state.snapshot())),
    ]);
  const patches = state.patchesSince(Number(version)).map((patch) => stanza('patch', {}, patch));
  return stanza('collection', attrs, [stanza('patches', {}, patches)]);
}

async function uploaded({ network }: Connection, bytes: Uint8Array): Promise<Uint8Array> {
  const { sealed, reference } = await sealFile('md-app-state', bytes);
  const { directPath } = network.media.putHistory(sealed);
  const { mediaKey, fileSha256, fileEncSha256, fileLength } = reference;
  const file = { mediaKey, directPath, fileSha256, fileEncSha256, fileSizeBytes: fileLength };
  return proto.ExternalBlobReference.encode(file).finish();
}
