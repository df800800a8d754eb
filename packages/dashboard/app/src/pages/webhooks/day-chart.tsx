import { Fragment } from 'react';
import type { ReactNode } from 'react';
import type { AttemptCounts } from '@trunkline/http/client';
import { Bar, barLength, Chart, CHART_HEIGHT } from '../../components/chart.tsx';
import { Table } from '../../components/table.tsx';
import { distanceText } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './day-chart.module.css';
import type { Slot } from './day.ts';

/**
 * Draws successful attempts above the line and failed ones below it, and how long the attempts took in a second chart. A
 * table shows the same data.
 */
export function DayChart({
  slots,
  total,
}: {
  readonly slots: readonly Slot[];
  readonly total: AttemptCounts;
}): ReactNode {
  const t = useTexts('webhooks');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  // The weekday is needed, because the chart begins on the previous day.
  const clock = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  const failuresText = (failed: AttemptCounts['failed']): string =>
    Object.entries(failed)
      .map(([code, count]) => `${numbers.format(count)} ${code}`)
      .join(', ');
  const count = (of: (slot: Slot) => number): string =>
    numbers.format(slots.reduce((sum, slot) => sum + of(slot), 0));
  const codes = failuresText(total.failed);
  const summary =
    t.daySummary(
      count(({ succeeded }) => succeeded),
      count(({ refused }) => refused),
      count(({ unanswered }) => unanswered),
    ) + (codes && ` (${codes})`);
  const times = t.dayTimes(
    durationText(locale, total.duration.p50_ms),
    durationText(locale, total.duration.p95_ms),
  );
  const stretch = {
    slots: slots.length,
    from: clock.format(slots[0]?.from),
    to: clock.format(slots.at(-1)?.from),
  };
  return (
    <div className={styles['charts']}>
      <Chart caption={summary} label={summary} line={CHART_HEIGHT / 2} {...stretch}>
        <CountBars slots={slots} />
      </Chart>
      <Chart
        caption={
          <>
            {times} <span className={styles['quiet']}>({t.dayTimesHint})</span>
          </>
        }
        label={times}
        line={CHART_HEIGHT}
        {...stretch}
      >
        <TimeBars slots={slots} />
      </Chart>
      <details>
        <summary>{t.dayTable}</summary>
        <Table
          caption={t.dayCaption}
          rows={slots.filter(({ succeeded, refused, unanswered }) => succeeded + refused + unanswered > 0)}
          keyOf={(slot) => String(slot.from)}
          columns={[
            { key: 'from', title: t.dayFrom, cell: (slot) => clock.format(slot.from) },
            {
              key: 'succeeded',
              title: t.daySucceeded,
              isNumeric: true,
              cell: ({ succeeded }) => numbers.format(succeeded),
            },
            { key: 'failed', title: t.dayFailed, cell: ({ failed }) => failuresText(failed) || '–' },
            { key: 'p50', title: 'p50', isNumeric: true, cell: ({ p50 }) => durationText(locale, p50) },
            { key: 'p95', title: 'p95', isNumeric: true, cell: ({ p95 }) => durationText(locale, p95) },
          ]}
        />
      </details>
    </div>
  );
}

/**
 * Successful attempts go up from the line. Refused ones go down from it, and those without a response continue below
 * them as a narrow bar, so that the chart can be read without colours.
 */
function CountBars({ slots }: { readonly slots: readonly Slot[] }): ReactNode {
  const most = Math.max(...slots.flatMap((slot) => [slot.succeeded, slot.refused + slot.unanswered]));
  const half = CHART_HEIGHT / 2;
  return slots.map(({ from, succeeded, refused, unanswered }, slot) => {
    const up = barLength(succeeded, most, half);
    // Even few attempts have a visible bar, which must not leave the chart.
    const down = Math.min(barLength(refused, most, half), half - (unanswered > 0 ? 2 : 0));
    const below = Math.min(barLength(unanswered, most, half), half - down);
    return (
      <Fragment key={from}>
        <Bar slot={slot} tone="good" y={half - up} height={up} />
        <Bar slot={slot} tone="bad" y={half} height={down} />
        <Bar slot={slot} tone="bad" y={half + down} height={below} isNarrow />
      </Fragment>
    );
  });
}

/** A wide bar for p50, in front of a narrow one for p95. */
function TimeBars({ slots }: { readonly slots: readonly Slot[] }): ReactNode {
  const slowest = Math.max(1, ...slots.map(({ p95 }) => p95 ?? 0));
  return slots.map(({ from, p50, p95 }, slot) => {
    if (p50 === null || p95 === null) return null;
    // Even a time of 0 ms has a visible bar, unlike a missing time.
    const [wide, narrow] = [p50, p95].map((ms) => Math.max(2, barLength(ms, slowest, CHART_HEIGHT)));
    return (
      <Fragment key={from}>
        <Bar slot={slot} tone="plain" y={CHART_HEIGHT - (narrow ?? 0)} height={narrow ?? 0} isNarrow />
        <Bar slot={slot} tone="plain" y={CHART_HEIGHT - (wide ?? 0)} height={wide ?? 0} />
      </Fragment>
    );
  });
}

/** In milliseconds if below two seconds. */
function durationText(locale: string, ms: number | null): string {
  if (ms === null) return '–';
  if (ms >= 2_000) return distanceText(locale, ms);
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(ms);
}
