import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ReadPage, Stretch, Stretches } from './stretch.ts';

/** A long list of the API, which is read by pages. */
export interface LongList<Row> {
  readonly queryKey: readonly unknown[];
  readonly stretches: Stretches<Row>;
  /** Reads the page at a cursor; null for the newest page. */
  read(cursor: string | null, signal?: AbortSignal): Promise<ReadPage<Row>>;
  /** How long the stretch is kept after the user has left it; the default is a minute. */
  readonly gcTime?: number;
}

/** The maximum number of pages that one refresh reads. Older rows are not refreshed. */
const NEWEST_PAGES = 4;

export const stretchQuery = <Row>({ queryKey, stretches, read, gcTime }: LongList<Row>) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<Stretch<Row>> => {
      const before = client.getQueryData<Stretch<Row>>(queryKey);
      let fresh = await read(null, signal);
      for (let page = 1; page < NEWEST_PAGES && before && !stretches.reaches(fresh, before); page++) {
        const further = await read(fresh.older, signal);
        fresh = { rows: [...fresh.rows, ...further.rows], newer: fresh.newer, older: further.older };
      }
      // Not `before`: other pages may have been read meanwhile.
      return stretches.withNewest(fresh, client.getQueryData<Stretch<Row>>(queryKey));
    },
    ...(gcTime !== undefined && { gcTime }),
  });

interface ReadMore {
  /**
   * Reads the page at the cursor of the drawn stretch. Does nothing while a page is being read, or is read but not drawn
   * yet: the user has not come near its end then.
   */
  older(drawn: string | null): void;
  newer(drawn: string | null): void;
  /** Starts over at the newest row, if the newest rows were cut off. */
  toNewest(): Promise<void>;
  readonly isReading: boolean;
  /** Why the last read failed; null if it did not. After a failure, only `retry` reads. */
  readonly error: unknown;
  retry(): void;
}

/** Reads more of a long list as the user moves through it, one page at a time. */
export function useReadMore<Row>(list: LongList<Row>): ReadMore {
  const queries = useQueryClient();
  const [isReading, setReading] = useState(false);
  const [failure, setFailure] = useState<{ readonly error: unknown; readonly retry: () => void } | null>(
    null,
  );
  const isBusy = useRef(false);
  const run = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setReading(true);
    try {
      await act();
      setFailure(null);
    } catch (error) {
      setFailure({ error, retry: () => void run(act) });
    } finally {
      isBusy.current = false;
      setReading(false);
    }
  };
  const next = (side: 'older' | 'newer', drawn: string | null): void => {
    const isDrawn = queries.getQueryData<Stretch<Row>>(list.queryKey)?.[side] === drawn;
    if (drawn !== null && isDrawn && failure === null) void run(() => readNext(queries, list, side));
  };
  return {
    older: (drawn) => next('older', drawn),
    newer: (drawn) => next('newer', drawn),
    toNewest: () =>
      run(async () => {
        if ((queries.getQueryData<Stretch<Row>>(list.queryKey)?.newer ?? null) === null) return;
        const page = await list.read(null);
        queries.setQueryData<Stretch<Row>>(list.queryKey, list.stretches.begin(page));
      }),
    isReading,
    error: failure?.error ?? null,
    retry: () => failure?.retry(),
  };
}

async function readNext<Row>(
  queries: QueryClient,
  { queryKey, stretches, read }: LongList<Row>,
  side: 'older' | 'newer',
): Promise<void> {
  const cursor = queries.getQueryData<Stretch<Row>>(queryKey)?.[side] ?? null;
  if (cursor === null) return;
  const page = await read(cursor);
  queries.setQueryData<Stretch<Row>>(queryKey, (known) => {
    // If the cursor has changed, the stretch started over during the read: drop the result.
    if (known?.[side] !== cursor) return undefined;
    return side === 'older' ? stretches.withOlder(known, page) : stretches.withNewer(known, page);
  });
}
