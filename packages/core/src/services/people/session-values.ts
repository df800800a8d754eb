import type { PersonWork } from './person-records.ts';

/** Names per transaction. */
const NAMES = 500;

/**
 * Counts the values that the gateway keeps about a person in the sessions of the workspace's instances, and
 * deletes them if `isErased`. The values are encrypted, so only their names identify the person, as far as
 * the gateway can tell. An open connection may still have some values in memory, and writes them again when
 * messages are exchanged with the person.
 */
export async function sessionValuesOf(
  { context, person, signal, onProgress }: PersonWork,
  { messageIds, isErased }: { readonly messageIds: ReadonlySet<string>; readonly isErased: boolean },
): Promise<number> {
  const { storage, gateways } = context;
  if (!gateways.all.some((gateway) => gateway.isSessionValueOf)) return 0;
  const { numbers, networkIds } = person;
  const about = { numbers, networkIds, messageIds };
  let [looked, found] = [0, 0];
  for (const { id, network } of await storage.instances.list(person.workspaceId)) {
    const gateway = gateways.find(network);
    if (!gateway?.isSessionValueOf) continue;
    let after: string | null = null;
    do {
      signal?.throwIfAborted();
      const names: readonly string[] = await storage.sessions.names(id, { prefix: '', after, limit: NAMES });
      const own = names.filter((name) => gateway.isSessionValueOf?.(name, about));
      if (isErased && own.length > 0) await storage.sessions.erase(id, own);
      looked += names.length;
      found += own.length;
      onProgress({ step: 'session', looked, found });
      after = names.length === NAMES ? (names.at(-1) ?? null) : null;
    } while (after !== null);
  }
  return found;
}
