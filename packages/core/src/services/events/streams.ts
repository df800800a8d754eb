import type { EventType } from '../../domain/event/event.ts';
import type { Result } from '../../domain/result.ts';

/** An event as a stream yields it. */
export interface StreamedEvent {
  /** `evt_…` */
  readonly id: string;
  /** The type, such as `message.received`. */
  readonly type: EventType;
  /** The JSON that webhooks carry, byte for byte; parse it with `readEvent` of `@trunkline/receiver`. */
  readonly body: string;
}

/**
 * Events of a workspace as they happen, each at least once, roughly in order. The stream ends with `return()`
 * (which `break` in a loop calls), when its signal is aborted, or when the service stops.
 */
export interface EventStream extends AsyncIterableIterator<StreamedEvent, undefined, undefined> {
  /**
   * The `last_event_id` for a stream that continues this one. The position advances with time even without
   * events.
   */
  readonly position: string;
  /** Ends the stream. */
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** The streams that are open in this process. */
export interface EventStreams {
  start(): void;
  open(
    workspaceId: string,
    query: unknown,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Result<EventStream>>;
  /** Ends every stream, and refuses new ones until the next start. Resolves when reading has ended. */
  stop(): Promise<void>;
}
