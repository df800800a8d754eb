import type { GatewayContext } from '@trunkline/core/spi/gateway';
import QuickLRU from 'quick-lru';
import type { NewLink } from './history/read-history.ts';
import { readMessages } from './inbound/arrivals.ts';
import type { ReadMessages } from './inbound/arrivals.ts';
import { readFailures } from './inbound/retry-requests.ts';
import type { ReadFailures } from './inbound/retry-requests.ts';
import type { KeptSecrets } from './inbound/message-secrets.ts';
import { groupDirectory } from './inbound/group-directory.ts';
import type { GroupDirectory } from './inbound/group-directory.ts';
import { copyCounts } from './outbound/resends.ts';
import type { CopyCounts } from './outbound/resends.ts';
import { recipientCache } from './outbound/recipients.ts';
import type { RecipientCache } from './outbound/recipients.ts';
import { createRestrictions } from './restrictions.ts';
import type { Restrictions } from './restrictions.ts';
import { createNamedLocks } from './session/named-locks.ts';
import type { NamedLocks } from './session/named-locks.ts';
import { pruningProgress } from './session/pruning.ts';
import type { PruningProgress } from './session/pruning.ts';
import type { SessionValues } from './session/session-values.ts';
import { socketCaches } from './socket/socket-caches.ts';
import type { SocketCaches } from './socket/socket-caches.ts';

/** The state that an instance's connections share within this process. */
export interface InstanceMemory extends NewLink {
  /** Lets connections read the stored session one after another. */
  readonly turns: NamedLocks;
  /** The session of the last connection, which may still store something; null before the first one. */
  session: SessionValues | null;
  readonly caches: SocketCaches;
  readonly recipients: RecipientCache;
  readonly groups: GroupDirectory;
  readonly copies: CopyCounts;
  readonly restrictions: Restrictions;
  readonly read: ReadMessages;
  readonly failures: ReadFailures;
  readonly secrets: KeptSecrets;
  readonly pruning: PruningProgress;
  /** Calls that were reported recently, by id. */
  readonly calls: QuickLRU<string, true>;
  /** When another client last replaced ours, by `clock.elapsed()`; null if never. */
  replacedAt: number | null;
}

export function instanceMemory(context: GatewayContext): InstanceMemory {
  return {
    turns: createNamedLocks(),
    session: null,
    caches: socketCaches(),
    recipients: recipientCache(),
    groups: groupDirectory(),
    copies: copyCounts(),
    restrictions: createRestrictions(context.clock),
    read: readMessages(),
    failures: readFailures(),
    secrets: new Map(),
    pruning: pruningProgress(),
    calls: new QuickLRU({ maxSize: 500 }),
    linkedAt: null,
    replacedAt: null,
  };
}
