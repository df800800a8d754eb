import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useLanguage } from '../texts/language.tsx';
import styles from './time.module.css';

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /**
   * `distance`: the time since or until `at`: *14 min*. `ago`: the same as a phrase. `clock`: the time of day, with
   * seconds. `moment`: the time of day, with the date unless it is today. `precise`: a moment with seconds.
   * `countdown`: the time left until `at`, in hours at most: *71 h*.
   */
  readonly as?: 'distance' | 'ago' | 'clock' | 'moment' | 'precise' | 'countdown';
}

/** A time in the viewer's zone, with the exact time on hover. Distances are kept up to date. */
export function Time({ at, as = 'ago' }: TimeProps): ReactNode {
  const { locale } = useLanguage();
  const date = new Date(at);
  const exact = format(locale, EXACT, date);
  return (
    <time dateTime={at} title={exact} className={styles['time']}>
      {as === 'clock' && format(locale, CLOCK, date)}
      {as === 'moment' && <Moment locale={locale} date={date} time={SHORT} />}
      {as === 'precise' && <Moment locale={locale} date={date} time={CLOCK} />}
      {as === 'distance' && <Distance locale={locale} ms={date.getTime()} />}
      {as === 'countdown' && <Countdown locale={locale} ms={date.getTime()} />}
      {as === 'ago' && <Ago locale={locale} ms={date.getTime()} />}
    </time>
  );
}

const EXACT = { dateStyle: 'full', timeStyle: 'long' } as const;
const CLOCK = { timeStyle: 'medium' } as const;
const SHORT = { timeStyle: 'short' } as const;
const DATE = { day: 'numeric', month: 'short' } as const;
const DATE_OF_ANOTHER_YEAR = { dateStyle: 'medium' } as const;
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

/** The day of a time, such as *Mon, Nov 30*, for headings. */
export function dayOf(at: string, locale: string): string {
  return format(locale, DAY, new Date(at));
}

function Moment({
  locale,
  date,
  time,
}: {
  readonly locale: string;
  readonly date: Date;
  readonly time: Intl.DateTimeFormatOptions;
}): ReactNode {
  const today = useToday();
  const clock = format(locale, time, date);
  if (date.toDateString() === today) return clock;
  const isThisYear = today.endsWith(` ${date.getFullYear()}`);
  return `${format(locale, isThisYear ? DATE : DATE_OF_ANOTHER_YEAR, date)}, ${clock}`;
}

function Distance({ locale, ms }: { readonly locale: string; readonly ms: number }): ReactNode {
  return distanceText(locale, Math.abs(useNow() - ms));
}

/** Counts hours, not days, because 71 h would become 2 d. */
function Countdown({ locale, ms }: { readonly locale: string; readonly ms: number }): ReactNode {
  const { value, unit } = largestUnit(Math.max(0, ms - useNow()), SHORT_UNITS);
  return units(locale, unit).format(value);
}

function Ago({ locale, ms }: { readonly locale: string; readonly ms: number }): ReactNode {
  const past = useNow() - ms;
  const { value, unit } = largestUnit(Math.abs(past));
  // A difference of less than a second, in either direction, is *now*.
  if (value === 0) return relative(locale, 'auto').format(0, unit);
  return relative(locale, 'always').format(past >= 0 ? -value : value, unit);
}

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const;

const SHORT_UNITS = UNITS.slice(1);

type Unit = (typeof UNITS)[number]['unit'];

/**
 * The largest unit that fits at least twice, as in the API's own sentences: 90 s, 14 min, 36 h, 3 d. By default,
 * seconds.
 */
function largestUnit(
  ms: number,
  of: readonly (typeof UNITS)[number][] = UNITS,
): { readonly value: number; readonly unit: Unit } {
  const found = of.find((each) => ms >= 2 * each.ms) ?? { unit: 'second', ms: 1_000 };
  return { value: Math.floor(ms / found.ms), unit: found.unit };
}

export function distanceText(locale: string, ms: number): string {
  const { value, unit } = largestUnit(ms);
  return units(locale, unit).format(value);
}

// Cached, because formats are slow to create, and each row needs some.
const formats = new Map<string, Intl.DateTimeFormat>();
const unitFormats = new Map<string, Intl.NumberFormat>();
const relatives = new Map<string, Intl.RelativeTimeFormat>();

function format(locale: string, options: Intl.DateTimeFormatOptions, date: Date): string {
  if (Number.isNaN(date.getTime())) return '?';
  const key = `${locale} ${JSON.stringify(options)}`;
  return made(formats, key, () => new Intl.DateTimeFormat(locale, options)).format(date);
}

function units(locale: string, unit: Unit): Intl.NumberFormat {
  const options = { style: 'unit', unit, unitDisplay: 'short' } as const;
  return made(unitFormats, `${locale} ${unit}`, () => new Intl.NumberFormat(locale, options));
}

/** For zero, `auto` says *now*. */
function relative(locale: string, numeric: 'always' | 'auto'): Intl.RelativeTimeFormat {
  const options = { style: 'short', numeric } as const;
  return made(relatives, `${locale} ${numeric}`, () => new Intl.RelativeTimeFormat(locale, options));
}

function made<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

const listeners = new Set<() => void>();
let timer: number | undefined;
let now = Date.now();

/** The current time, updated once a second. All components share one timer, which runs only while one needs it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Today's date as `Date.toDateString` writes it, such as *Mon Nov 30 2026*. Changes only at midnight. */
function useToday(): string {
  return useSyncExternalStore(subscribe, () => new Date(now).toDateString());
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = window.setInterval(tick, 1_000);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}
