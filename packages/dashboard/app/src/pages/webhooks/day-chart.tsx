import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { Bar, barLength, Chart, CHART_HEIGHT } from '../../components/chart.tsx';
import { Table } from '../../components/table.tsx';
import { distanceText } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './day-chart.module.css';
import type { Slot } from './day.ts';

/**
 * Draws deliveries above the line and failures below it, and the delivery times in a second chart. A table shows the
 * same data.
 */
export function DayChart({
  slots,
  from,
  to,
}: {
  readonly slots: readonly Slot[];
  readonly from: number;
  readonly to: number;
}): ReactNode {
  const t = useTexts('webhooks');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  // The weekday is needed, because the chart begins on the previous day.
  const clock = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  const total = (count: (slot: Slot) => number): string =>
    numbers.format(slots.reduce((sum, slot) => sum + count(slot), 0));
  const summary = t.daySummary(
    total(({ delivered }) => delivered),
    total(({ failed }) => failed),
    total(({ open }) => open),
  );
  const stretch = { slots: slots.length, from: clock.format(from), to: clock.format(to) };
  const medians = slots.map(({ medianMs }) => medianMs).filter((ms) => ms !== null);
  const slowest = medians.length === 0 ? null : Math.max(...medians);
  return (
    <div className={styles['charts']}>
      <Chart caption={summary} label={summary} line={CHART_HEIGHT / 2} {...stretch}>
        <CountBars slots={slots} />
      </Chart>
      {slowest !== null && (
        <Chart
          caption={
            <>
              {t.dayTime} <span className={styles['quiet']}>({t.dayTimeHint})</span>:{' '}
              {t.most(durationText(locale, slowest))}
            </>
          }
          label={t.dayTime}
          line={CHART_HEIGHT}
          {...stretch}
        >
          <TimeBars slots={slots} slowest={slowest} />
        </Chart>
      )}
      <details className={styles['table']}>
        <summary>{t.dayTable}</summary>
        <Table
          caption={t.dayCaption}
          rows={slots.filter(({ delivered, failed, open }) => delivered + failed + open > 0)}
          keyOf={(slot) => String(slot.from)}
          columns={[
            { key: 'from', title: t.dayFrom, cell: (slot) => clock.format(slot.from) },
            {
              key: 'delivered',
              title: t.dayDelivered,
              isNumeric: true,
              cell: ({ delivered }) => numbers.format(delivered),
            },
            {
              key: 'failed',
              title: t.dayFailed,
              isNumeric: true,
              cell: ({ failed }) => numbers.format(failed),
            },
            { key: 'open', title: t.dayOpen, isNumeric: true, cell: ({ open }) => numbers.format(open) },
            {
              key: 'time',
              title: t.dayTime,
              isNumeric: true,
              cell: ({ medianMs }) => (medianMs === null ? '–' : durationText(locale, medianMs)),
            },
          ]}
        />
      </details>
    </div>
  );
}

/**
 * Deliveries go up from the line, failures go down, and open ones are narrow, so that the chart can be read without
 * colours.
 */
function CountBars({ slots }: { readonly slots: readonly Slot[] }): ReactNode {
  const most = Math.max(1, ...slots.flatMap(({ delivered, failed, open }) => [delivered, failed, open]));
  const half = CHART_HEIGHT / 2;
  return slots.map(({ from, delivered, failed, open }, slot) => {
    const [up, down, waiting] = [delivered, failed, open].map((count) => barLength(count, most, half));
    return (
      <Fragment key={from}>
        <Bar slot={slot} tone="good" y={half - (up ?? 0)} height={up ?? 0} />
        <Bar slot={slot} tone="bad" y={half} height={down ?? 0} />
        <Bar slot={slot} tone="busy" y={half - (waiting ?? 0)} height={waiting ?? 0} isNarrow />
      </Fragment>
    );
  });
}

function TimeBars({
  slots,
  slowest,
}: {
  readonly slots: readonly Slot[];
  readonly slowest: number;
}): ReactNode {
  return slots.map(({ from, medianMs }, slot) => {
    if (medianMs === null) return null;
    // Even a time of 0 ms has a visible bar, unlike a missing time.
    const height = Math.max(2, barLength(medianMs, slowest, CHART_HEIGHT));
    return <Bar key={from} slot={slot} tone="plain" y={CHART_HEIGHT - height} height={height} />;
  });
}

/** In milliseconds if below two seconds. */
function durationText(locale: string, ms: number): string {
  if (ms >= 2_000) return distanceText(locale, ms);
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(ms);
}
