import type { UrlRules } from '../domain/endpoint/host-rules.ts';
import type { GroupLimits } from '../domain/instance/group-change-limits.ts';
import type { LinkPreviewMode } from '../domain/message/link-preview.ts';
import type { NewId } from '../domain/id.ts';
import type { Clock } from '../ports/clock.ts';
import type { Crypto } from '../ports/crypto.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import type { LinkPreviewer } from '../ports/link-previewer.ts';
import type { Logger } from '../ports/logger.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { Random } from '../ports/random.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Gateways } from './gateways.ts';
import type { LocalCalls } from './calls/local-calls.ts';
import type { EventStreams } from './events/streams.ts';
import type { NetworkIds } from './messages/network-ids.ts';
import type { NewEvent } from './new-event.ts';
import type { Metrics } from './metrics.ts';
import type { Sealer } from './sealer.ts';
import type { Tracing } from './tracing.ts';
import type { TrafficCounter } from './traffic/traffic-counter.ts';

/** The dependencies of every use case. */
export interface ServiceContext {
  readonly storage: Storage<unknown>;
  readonly gateways: Gateways;
  readonly mediaStore: MediaStore;
  /** Null if this process fetches no pages. */
  readonly linkPreviewer: LinkPreviewer | null;
  readonly dns: DnsResolver;
  readonly clock: Clock;
  /** The wall clock, in epoch milliseconds: unlike `clock`, it may be set back. Only for times that callers gave. */
  readonly wallTime: () => number;
  readonly random: Random;
  readonly crypto: Crypto;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly traffic: TrafficCounter;
  readonly sealer: Sealer;
  readonly newId: NewId;
  readonly newEvent: NewEvent;
  readonly eventStreams: EventStreams;
  readonly networkIds: NetworkIds;
  readonly localCalls: LocalCalls;
  readonly settings: ServiceSettings;
}

export interface RetentionSettings {
  /** If absent, messages are kept until they are erased. */
  readonly messagesDays?: number | undefined;
  readonly instanceHistoryDays: number;
}

interface ServiceSettings extends UrlRules {
  /** How long messages and histories are kept; a workspace may set its own number of days for messages. */
  readonly retention: RetentionSettings;
  /** How many messages of one instance may be queued at the same time. */
  readonly sendBacklog: number;
  readonly standardWebhooks: boolean;
  readonly instanceProxies: boolean;
  readonly linkPreviews: LinkPreviewMode;
  /** The address of the page for credentials, without a trailing slash. */
  readonly linkPage?: string | undefined;
  /** How long a number is down before its workspace is notified; 0 for never. */
  readonly instanceDownAfterMs: number;
  /** How long a request waits for the gateway to carry out a disconnect, logout or delete. */
  readonly operationTimeoutMs: number;
  /** How often an instance may change groups, and how many people it may let into them. */
  readonly groupLimits: GroupLimits;
}
