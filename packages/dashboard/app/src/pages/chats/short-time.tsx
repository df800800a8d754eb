import type { ReactNode } from 'react';
import { useLanguage } from '../../texts/language.tsx';

const EXACT = { dateStyle: 'full', timeStyle: 'long' } as const;
const CLOCK = { timeStyle: 'short' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;
const DATE = { dateStyle: 'short' } as const;

// Cached, because formats are slow to create, and each row needs some.
const formats = new Map<string, Intl.DateTimeFormat>();

/** The time of day in minutes, with the exact time on hover. `as` *day*: on other days, the date instead. */
export function ShortTime({
  at,
  as = 'clock',
}: {
  readonly at: string;
  readonly as?: 'clock' | 'day';
}): ReactNode {
  const { locale } = useLanguage();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={at} title={format(locale, EXACT, date)}>
      {format(locale, as === 'clock' ? CLOCK : formatOf(date), date)}
    </time>
  );
}

function formatOf(date: Date): Intl.DateTimeFormatOptions {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return CLOCK;
  return date.getFullYear() === now.getFullYear() ? DAY : DATE;
}

function format(locale: string, options: Intl.DateTimeFormatOptions, date: Date): string {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known.format(date);
}
