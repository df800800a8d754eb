import { Link } from '@tanstack/react-router';
import type { MessageCounts, TrafficResource } from '@trunkline/http/client';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { labelledBars } from '../../components/axis.ts';
import { PARTS, StackedBars, Swatch, totalOf } from '../../components/stacked-bars.tsx';
import type { Stack } from '../../components/stacked-bars.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { failuresOf } from './traffic.ts';
import type { Slot } from './traffic.ts';
import styles from './traffic-chart.module.css';
import { TrafficTable } from './traffic-table.tsx';

type Step = TrafficResource['step'];

interface TrafficChartProps {
  readonly workspace: string;
  readonly slots: readonly Slot<MessageCounts>[];
  readonly total: MessageCounts;
  readonly step: Step;
}

/** The messages of each period as bars, whose link leads to the messages up to the end of that period. */
export function TrafficChart({ workspace, slots, total, step }: TrafficChartProps): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const [active, setActive] = useState<number | null>(null);
  const [isTableOpen, setIsTableOpen] = useState(false);
  const touched = useRef<number | null>(null);
  const number = new Intl.NumberFormat(locale);
  const timeOf = periodFormat(locale, step);
  const text = ({ received, sent, failed }: Stack): string =>
    t.counts(number.format(received), number.format(sent), number.format(failed));
  const bars = slots.map(({ counts }) => stackOf(counts));
  const summary = text(stackOf(total));
  const nameOf = (bar: number): string => {
    const [slot, stack] = [slots[bar], bars[bar]];
    return slot && stack ? `${timeOf(slot)}: ${text(stack)}` : summary;
  };
  const labelFormat = axisFormat(locale, step);
  const labels = labelledBars(
    slots.map(({ from }) => from),
    step,
  ).map((bar) => [bar, labelFormat.format(slots[bar]?.from)] as const);
  return (
    <div className={styles['chart']}>
      {/* The whole changes on its own all the time, so only the numbers of a bar are announced. */}
      <p role="status" aria-live={active === null ? 'off' : 'polite'}>
        {active === null ? summary : nameOf(active)}
      </p>
      <StackedBars
        bars={bars}
        labels={new Map(labels)}
        locale={locale}
        onActive={setActive}
        link={(bar, properties) => (
          <Link
            {...properties}
            to="/w/$workspace/messages"
            params={{ workspace }}
            search={{ before: new Date(slots[bar]?.to ?? 0).toISOString() }}
            aria-label={nameOf(bar)}
            // A finger cannot point without a tap, so the first tap on a bar only shows its numbers.
            onClick={(event) => {
              const isTouch = 'pointerType' in event.nativeEvent && event.nativeEvent.pointerType === 'touch';
              if (isTouch && touched.current !== bar) event.preventDefault();
              touched.current = bar;
            }}
          />
        )}
      />
      <p className={styles['quiet']}>
        {t.openHint} {step === 'day' && t.daysInUtc} {t.countsHint}
      </p>
      {totalOf(stackOf(total)) > 0 && (
        <details onToggle={({ currentTarget }) => setIsTableOpen(currentTarget.open)}>
          <summary>{t.hoursTable}</summary>
          {isTableOpen && <TrafficTable workspace={workspace} slots={slots} timeOf={timeOf} />}
        </details>
      )}
    </div>
  );
}

/** The words of the chart's colours. */
export function Legend(): ReactNode {
  const t = useTexts('now');
  return (
    <p className={styles['legend']}>
      {PARTS.map((part) => (
        <span key={part}>
          <Swatch part={part} />
          {t[part]}
        </span>
      ))}
    </p>
  );
}

function stackOf(counts: MessageCounts | null): Stack {
  if (counts === null) return { received: 0, sent: 0, failed: 0 };
  return { received: counts.received, sent: counts.sent, failed: failuresOf(counts) };
}

/** Names a period by its time; a day, which is one in UTC, by its date. */
function periodFormat(locale: string, step: Step): (slot: Slot<unknown>) => string {
  if (step === 'day') {
    const day = new Intl.DateTimeFormat(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
    return ({ from }) => day.format(from);
  }
  const clock = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
  return ({ from, to }) => clock.formatRange(from, to);
}

function axisFormat(locale: string, step: Step): Intl.DateTimeFormat {
  if (step === 'quarter') return new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
  if (step === 'hour') return new Intl.DateTimeFormat(locale, { weekday: 'short' });
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
