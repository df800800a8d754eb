import type { UseQueryResult } from '@tanstack/react-query';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AttemptCounts, MessageCounts } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Ticks } from '../../components/ticks.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './day-ticks.module.css';
import { durationText } from './duration-text.ts';
import { numberDaysQuery, webhookDaysQuery } from './traffic-queries.ts';
import { failuresOf, slotsOf, toneOfCounts } from './traffic.ts';

const REFRESH_MS = 60_000;

interface DayProps {
  readonly workspace: string;
  readonly id: string;
  /** The ids of all rows of the table, separated by commas, which are read in one request. */
  readonly ids: string;
}

/** A number's last day: a tick for each quarter of an hour, and how many messages it sent and received. */
export function NumberDay({ workspace, id, ids }: DayProps): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const query = useQuery({
    ...numberDaysQuery(workspace, ids),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const day = query.data?.find(({ instance_id }) => instance_id === id);
  if (!day) return <NoDay query={query} />;
  const { received, sent } = day.total;
  const number = new Intl.NumberFormat(locale);
  const count = number.format(received + sent);
  const failed = failuresOf(day.total);
  const label = t.counts(number.format(received), number.format(sent), number.format(failed));
  const tones = slotsOf(day).map(({ counts }) => toneOfMessages(counts));
  return <Day label={label} tones={tones} value={count} />;
}

/** A webhook's last day: a tick for each quarter of an hour, and how long 95 % of its attempts took at most. */
export function WebhookDay({ workspace, id, ids }: DayProps): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const query = useQuery({
    ...webhookDaysQuery(workspace, ids),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const day = query.data?.find(({ webhook_id }) => webhook_id === id);
  if (!day) return <NoDay query={query} />;
  const number = new Intl.NumberFormat(locale);
  const label = t.attempts(number.format(day.total.succeeded), number.format(failuresOf(day.total)));
  const p95 = durationText(locale, day.total.duration.p95_ms);
  const tones = slotsOf(day).map(({ counts }) => toneOfAttempts(counts));
  return <Day label={label} tones={tones} value={t.p95(p95)} />;
}

function Day({
  label,
  tones,
  value,
}: {
  readonly label: string;
  readonly tones: readonly Tone[];
  readonly value: string;
}): ReactNode {
  return (
    <span className={styles['day']} title={label}>
      <Ticks label={label} tones={tones} />
      <span className={styles['value']}>{value}</span>
    </span>
  );
}

function NoDay({ query }: { readonly query: UseQueryResult<unknown> }): ReactNode {
  const t = useTexts('now');
  // A row beyond the hundredth is not asked for.
  return <span className={styles['quiet']}>{query.isError ? t.dayFailed : query.isPending ? '' : '–'}</span>;
}

function toneOfMessages(counts: MessageCounts | null): Tone {
  return counts === null ? 'idle' : toneOfCounts(counts.sent + counts.received, failuresOf(counts));
}

function toneOfAttempts(counts: AttemptCounts | null): Tone {
  return counts === null ? 'idle' : toneOfCounts(counts.succeeded, failuresOf(counts));
}
