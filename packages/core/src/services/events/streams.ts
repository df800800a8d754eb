import type { EventType } from '../../domain/event/event.ts';
import type { Result } from '../../domain/result.ts';

/** An event as a stream yields it. */
export interface StreamedEvent {
  readonly id: string;
  readonly type: EventType;
  /** The JSON that webhooks carry, byte for byte. `readEvent` of `@trunkline/receiver` reads it. */
  readonly body: string;
}

/**
 * Events of a workspace as they happen, each at least once, in about their order. `return()`, which `break` in a loop
 * calls, ends it; so do its signal and the end of the service.
 */
export interface EventStream extends AsyncIterableIterator<StreamedEvent, undefined, undefined> {
  /** The `last_event_id` of a stream that continues this one. Without events, too, it moves on with the time. */
  readonly position: string;
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
  /** Ends every stream, and lets none begin before the next start. Resolves when nothing is read any more. */
  stop(): Promise<void>;
}
