import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../api/client.ts';
import { keyOf } from '../api/keys.ts';
import { recheckSession } from '../api/session.ts';
import type { Area } from '../api/keys.ts';
import { SUBSCRIBABLE_TYPES } from '../domain/event-types.ts';
import { areasOf } from './areas-of-event.ts';
import { createHintStream } from './hint-stream.ts';
import type { LiveState, StreamedEvent } from './hint-stream.ts';
import { throttleByName } from './throttle.ts';
import type { Timers } from './throttle.ts';

const LiveContext = createContext<LiveState>('polling');

/** Gets the events of the stream that the whole dashboard shares, because a page may open only few. */
export interface LiveListener {
  onEvent(event: StreamedEvent): void;
  /** Called when events may have been missed. */
  onGap(): void;
}

const ListenersContext = createContext<Set<LiveListener>>(new Set());

const TIMERS: Timers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = window.setTimeout(run, ms);
    return () => window.clearTimeout(timer);
  },
};

/** A tab hidden for this long closes its stream, because browsers allow only six HTTP/1.1 connections to a server. */
const HIDDEN_MAX_MS = 30_000;

/** Makes the page read data again when a hint says that it has changed. */
export function LiveProvider({
  workspaceId,
  children,
}: {
  readonly workspaceId: string | null;
  readonly children: ReactNode;
}): ReactNode {
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const [listeners] = useState(() => new Set<LiveListener>());

  useEffect(() => {
    if (workspaceId === null) {
      setState('polling');
      return;
    }
    const invalidate = throttleByName<Area>((area) => {
      // Do not cancel a read in flight: in constant traffic, none would complete.
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, area) }, { cancelRefetch: false });
    }, TIMERS);
    const stream = createHintStream({
      open: (last_event_id, signal) => {
        const query = {
          types: SUBSCRIBABLE_TYPES.join(','),
          ...(last_event_id !== undefined && { last_event_id }),
        };
        return clientOf(workspaceId).events.stream(query, { signal });
      },
      onHint(event) {
        areasOf(event.type).forEach(invalidate.give);
        for (const listener of listeners) listener.onEvent(event);
      },
      onGap() {
        void queries.invalidateQueries({ queryKey: ['workspace', workspaceId] });
        for (const listener of listeners) listener.onGap();
      },
      onState: setState,
      onSignedOut: () => recheckSession(queries),
      timers: TIMERS,
      random: Math.random,
    });

    let cancelPause: (() => void) | null = null;
    const onVisibility = (): void => {
      cancelPause?.();
      cancelPause = null;
      if (document.hidden) cancelPause = TIMERS.after(HIDDEN_MAX_MS, () => stream.stop('paused'));
      else stream.start();
    };
    const onOffline = (): void => stream.stop('offline');
    const onOnline = (): void => {
      if (!document.hidden) stream.start();
    };
    document.addEventListener('visibilitychange', onVisibility);
    window.addEventListener('offline', onOffline);
    window.addEventListener('online', onOnline);
    setState('connecting');
    onVisibility();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      window.removeEventListener('offline', onOffline);
      window.removeEventListener('online', onOnline);
      cancelPause?.();
      stream.stop('connecting');
      invalidate.stop();
    };
  }, [listeners, queries, workspaceId]);

  return (
    <ListenersContext value={listeners}>
      <LiveContext value={state}>{children}</LiveContext>
    </ListenersContext>
  );
}

export function useLiveListeners(): Set<LiveListener> {
  return useContext(ListenersContext);
}

export function useLiveState(): LiveState {
  return useContext(LiveContext);
}

/**
 * How often to read the shown data again (`refetchInterval`). While the stream is live, reads are rare: they only find
 * changes without an event, such as a delivery's attempt.
 */
export function useRefreshMs(whileLiveMs: number = 30_000): number {
  return useLiveState() === 'live' ? whileLiveMs : Math.min(POLL_MS, whileLiveMs);
}

const POLL_MS = 10_000;
