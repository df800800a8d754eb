import { useState } from 'react';
import type { CSSProperties, KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { countTicks } from './axis.ts';
import { classes } from './class-names.ts';
import styles from './stacked-bars.module.css';

/** The parts of a bar, from the bottom to the top. */
export const PARTS = ['received', 'sent', 'failed'] as const;
type Part = (typeof PARTS)[number];

export type Stack = Readonly<Record<Part, number>>;

interface StackedBarsProps {
  readonly bars: readonly Stack[];
  /** The texts below some bars, by the index of the bar. */
  readonly labels: ReadonlyMap<number, string>;
  readonly locale: string;
  /** Draws the link of the active bar, with these properties and a name that has the bar's numbers. */
  link(bar: number, properties: ActiveBar): ReactNode;
  /** Is called with the bar that the pointer or the focus is on, or with null. */
  onActive(bar: number | null): void;
}

interface ActiveBar {
  readonly className: string;
  readonly style: CSSProperties;
  onKeyDown(event: KeyboardEvent): void;
  onFocus(): void;
  onBlur(): void;
}

const HEIGHT = 180;
const SLOT = 20;
const BAR = 16;
/** The least height of a part, so that one failure among thousands of messages is seen. */
const LEAST = 2;

/**
 * Bars of several parts over time, with a scale. One link lies over the bar that the pointer is on; the arrow keys, Home
 * and End move it. Show a table with the same data next to the chart.
 */
export function StackedBars({ bars, labels, locale, link, onActive }: StackedBarsProps): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null);
  const [hasFocus, setHasFocus] = useState(false);
  const last = bars.length - 1;
  const active = Math.min(chosen ?? last, last);
  const ticks = countTicks(Math.max(...bars.map(totalOf)));
  const top = ticks.at(-1) ?? 1;
  const numbers = new Intl.NumberFormat(locale, { notation: 'compact' });
  const choose = (bar: number): void => {
    setChosen(bar);
    onActive(bar);
  };
  const onPointer = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    choose(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * bars.length))));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, active, last);
    if (to === null || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    choose(to);
  };
  return (
    <div className={styles['chart']}>
      <div className={styles['counts']} aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick}>{numbers.format(tick)}</span>
        ))}
      </div>
      <div
        className={styles['plot']}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => {
          if (!hasFocus) onActive(null);
        }}
      >
        <svg
          aria-hidden="true"
          className={styles['picture']}
          viewBox={`0 0 ${bars.length * SLOT} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          {ticks.map((tick) => {
            const y = HEIGHT - (tick / top) * HEIGHT;
            return <line key={tick} className={styles['grid']} x2={bars.length * SLOT} y1={y} y2={y} />;
          })}
          {PARTS.map((part) => (
            <path key={part} className={classes(styles[part])} d={pathOf(bars, part, top)} />
          ))}
        </svg>
        {link(active, {
          className: styles['active'] ?? '',
          style: { left: `${(active / bars.length) * 100}%`, width: `${100 / bars.length}%` },
          onKeyDown,
          onFocus: () => {
            setHasFocus(true);
            choose(active);
          },
          onBlur: () => {
            setHasFocus(false);
            onActive(null);
          },
        })}
      </div>
      <div className={styles['times']} aria-hidden="true">
        {[...labels].map(([bar, text]) => {
          const middle = ((bar + 0.5) / bars.length) * 100;
          return (
            <span
              key={bar}
              className={classes(
                styles['time'],
                middle < 4 && styles['atStart'],
                middle > 96 && styles['atEnd'],
              )}
              style={{ left: `${middle}%` }}
            >
              {text}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** The square next to a word of the legend. */
export function Swatch({ part }: { readonly part: Part }): ReactNode {
  return <span aria-hidden="true" className={classes(styles['swatch'], styles[part])} />;
}

export function totalOf({ received, sent, failed }: Stack): number {
  return received + sent + failed;
}

/** The bar that a key leads to; null for other keys. */
function targetOf(key: string, from: number, last: number): number | null {
  if (key === 'ArrowLeft') return Math.max(0, from - 1);
  if (key === 'ArrowRight') return Math.min(last, from + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : null;
}

/** One path for all bars, because 170 bars of three parts would be 510 elements. */
function pathOf(bars: readonly Stack[], part: Part, top: number): string {
  return bars
    .map((bar, slot) => {
      let y = HEIGHT;
      for (const each of PARTS) {
        const height = bar[each] === 0 ? 0 : Math.max(LEAST, (bar[each] / top) * HEIGHT);
        // The least heights may add up to more than the picture has.
        const upper = Math.max(0, y - height);
        if (each === part)
          return height === 0
            ? ''
            : `M${slot * SLOT + (SLOT - BAR) / 2} ${y.toFixed(1)}V${upper.toFixed(1)}h${BAR}V${y.toFixed(1)}z`;
        y = upper;
      }
      return '';
    })
    .join('');
}
