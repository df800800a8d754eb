import { useEffect, useState } from 'react';
import { useLiveListeners } from '../../live/live.tsx';
import { shownEvent } from './shown-event.ts';
import type { ShownEvent } from './shown-event.ts';

/** More would make the page slow, and nobody reads further. */
export const EVENTS_MAX = 300;
/** Events that arrive within this time are drawn together. */
const BATCH_MS = 250;

interface Events {
  /** Newest first. While paused, those from before the pause. */
  readonly events: readonly ShownEvent[];
  /** How many have arrived since the pause; null if the list is not paused. */
  readonly waiting: number | null;
  setPaused(isPaused: boolean): void;
}

/** The last events of the workspace since the page was opened. */
export function useEvents(): Events {
  const listeners = useLiveListeners();
  const [all, setAll] = useState<readonly ShownEvent[]>([]);
  const [before, setBefore] = useState<readonly ShownEvent[] | null>(null);

  useEffect(() => {
    let batch: ShownEvent[] = [];
    let timer: number | null = null;
    let gaps = 0;
    const flush = (): void => {
      const arrived = batch.toReversed();
      batch = [];
      timer = null;
      setAll((known) => [...arrived, ...known].slice(0, EVENTS_MAX));
    };
    const add = (event: ShownEvent): void => {
      batch.push(event);
      timer ??= window.setTimeout(flush, BATCH_MS);
    };
    const listener = {
      onEvent: ({ id, type, body }: { readonly id: string; readonly type: string; readonly body: string }) =>
        add(shownEvent(id, type, parsed(body), body)),
      onGap: () => {
        gaps++;
        add({ kind: 'gap', id: `gap ${gaps}` });
      },
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (timer !== null) window.clearTimeout(timer);
    };
  }, [listeners]);

  return {
    events: before ?? all,
    waiting: before && newerThan(before, all),
    setPaused: (isPaused) => setBefore(isPaused ? all : null),
  };
}

/** Counts up to `EVENTS_MAX`. */
function newerThan(before: readonly ShownEvent[], all: readonly ShownEvent[]): number {
  const known = new Set(before.map(({ id }) => id));
  return all.filter(({ kind, id }) => kind === 'event' && !known.has(id)).length;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
