import type { ReactNode } from 'react';
import { Table } from '../../components/table.tsx';
import { distanceText } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './day-chart.module.css';
import type { Slot } from './day.ts';

/** Of a picture without a unit: its width is that of the page. */
const SLOT = 20;
const BAR = 16;
const HEIGHT = 60;

/** Deliveries above the line, those that did not arrive below it; under both, how long it took. And all of it as a table. */
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
  // It begins on another day.
  const clock = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  const total = (count: (slot: Slot) => number): string =>
    numbers.format(slots.reduce((sum, slot) => sum + count(slot), 0));
  const summary = t.daySummary(
    total(({ delivered }) => delivered),
    total(({ failed }) => failed),
    total(({ open }) => open),
  );
  const medians = slots.map(({ medianMs }) => medianMs).filter((ms) => ms !== null);
  const slowest = medians.length === 0 ? null : Math.max(...medians);
  return (
    <div className={styles['charts']}>
      <figure className={styles['chart']}>
        <figcaption className={styles['caption']}>{summary}</figcaption>
        <CountBars slots={slots} label={summary} />
        <Ends from={clock.format(from)} to={clock.format(to)} />
      </figure>
      {slowest !== null && (
        <figure className={styles['chart']}>
          <figcaption className={styles['caption']}>
            {t.dayTime} <span className={styles['quiet']}>({t.dayTimeHint})</span>:{' '}
            {t.most(durationText(locale, slowest))}
          </figcaption>
          <TimeBars slots={slots} slowest={slowest} label={t.dayTime} />
          <Ends from={clock.format(from)} to={clock.format(to)} />
        </figure>
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

/** Up or down from the line, so that no colour is needed. */
function CountBars({ slots, label }: { readonly slots: readonly Slot[]; readonly label: string }): ReactNode {
  const most = Math.max(1, ...slots.flatMap(({ delivered, failed, open }) => [delivered, failed, open]));
  const length = (count: number): number => (count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT / 2)));
  return (
    <Picture label={label} slots={slots.length}>
      {slots.map(({ from, delivered, failed, open }, index) => {
        const up = length(delivered);
        return (
          <g key={from} transform={`translate(${index * SLOT + 2} 0)`}>
            <rect className={styles['good']} width={BAR} y={HEIGHT / 2 - up} height={up} />
            <rect className={styles['bad']} width={BAR} y={HEIGHT / 2} height={length(failed)} />
            <rect
              className={styles['busy']}
              width={BAR / 4}
              y={HEIGHT / 2 - length(open)}
              height={length(open)}
            />
          </g>
        );
      })}
      <line className={styles['line']} x2={slots.length * SLOT} y1={HEIGHT / 2} y2={HEIGHT / 2} />
    </Picture>
  );
}

function TimeBars({
  slots,
  slowest,
  label,
}: {
  readonly slots: readonly Slot[];
  readonly slowest: number;
  readonly label: string;
}): ReactNode {
  return (
    <Picture label={label} slots={slots.length}>
      {slots.map(({ from, medianMs }, index) => {
        if (medianMs === null) return null;
        const height = Math.max(2, (medianMs / Math.max(1, slowest)) * HEIGHT);
        return (
          <rect
            key={from}
            className={styles['time']}
            x={index * SLOT + 2}
            width={BAR}
            y={HEIGHT - height}
            height={height}
          />
        );
      })}
      <line className={styles['line']} x2={slots.length * SLOT} y1={HEIGHT} y2={HEIGHT} />
    </Picture>
  );
}

function Picture({
  label,
  slots,
  children,
}: {
  readonly label: string;
  readonly slots: number;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['picture']}
      viewBox={`0 0 ${slots * SLOT} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {children}
    </svg>
  );
}

function Ends({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  return (
    <p className={styles['ends']}>
      <span>{from}</span>
      <span>{to}</span>
    </p>
  );
}

/** Of less than a second, too. */
function durationText(locale: string, ms: number): string {
  if (ms >= 2_000) return distanceText(locale, ms);
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(ms);
}
