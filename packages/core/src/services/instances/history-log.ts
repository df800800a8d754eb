import { ENTRIES_PER_HOUR, HISTORY_REASONS, mayRepeat } from '../../domain/instance/instance-history.ts';
import type { HistoryEntry, HistoryNews } from '../../domain/instance/instance-history.ts';
import type { NewId } from '../../domain/id.ts';
import { isTooFarAhead } from '../../domain/too-far-ahead.ts';

/** How long one entry counts repeats, so that a number that flaps for a week makes a few entries an hour. */
const REPEATS_FOR_MS = 3_600_000;

/** Makes the history entries of one instance. */
export interface HistoryLog {
  /** The entry to write: a new entry, or an earlier entry of this log with a higher count if `news` repeats it. */
  entryOf(news: HistoryNews, now: number): HistoryEntry;
  /** Notes a written entry, which later news may repeat. */
  written(entry: HistoryEntry): void;
}

interface HistoryOf {
  readonly workspaceId: string;
  readonly instanceId: string;
  /** The owner of the lease under which entries are written; null without a lease. */
  readonly process: string | null;
}

export function createHistoryLog(newId: NewId, of: HistoryOf): HistoryLog {
  /** Entries that news may repeat, by content. An entry that cannot repeat clears the map. */
  const recent = new Map<string, HistoryEntry>();
  return {
    entryOf(news, now) {
      const known = recent.get(keyOf(news));
      if (known && now < known.at + REPEATS_FOR_MS && !isTooFarAhead(known.at, now)) {
        return { ...known, next: news.next, count: known.count + 1, lastAt: now };
      }
      const { causedBy } = HISTORY_REASONS[news.reason];
      return { id: newId('hst', now), ...of, ...news, causedBy, at: now, count: 1, lastAt: now };
    },
    written(entry) {
      if (!mayRepeat(entry.reason)) return recent.clear();
      recent.set(keyOf(entry), entry);
      // Bound the map, because each entry may have a new network code. Beyond this many entries within an hour,
      // storages count most entries as repeats anyway.
      const [oldest] = recent.keys();
      if (recent.size > ENTRIES_PER_HOUR && oldest !== undefined) recent.delete(oldest);
    },
  };
}

function keyOf({ reason, from, to, code, networkCode }: HistoryNews): string {
  return JSON.stringify([reason, from, to, code, networkCode]);
}
