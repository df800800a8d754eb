import type { ReactNode } from 'react';
import { useLanguage } from '../texts/language.tsx';
import { classes } from './class-names.ts';
import type { Tone } from './status-badge.tsx';
import styles from './strip.module.css';

interface Stretch {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly label: string;
}

interface StripProps {
  /** For screen readers, and as the strip's caption. */
  readonly summary: string;
  readonly from: number;
  readonly to: number;
  readonly stretches: readonly Stretch[];
}

const WIDTH = 1_000;
/** The better the state, the higher the bar, so that it can be read without colours. */
const HEIGHTS: Readonly<Record<Tone, number>> = { good: 28, busy: 18, act: 18, bad: 8, idle: 4 };
const HEIGHT = 28;

/** A status over time as one band. Screen readers get the summary; a stretch shows its label on hover. */
export function Strip({ summary, from, to, stretches }: StripProps): ReactNode {
  const { locale } = useLanguage();
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const x = (at: number): number => ((Math.max(from, at) - from) / (to - from)) * WIDTH;
  return (
    <figure className={styles['strip']}>
      <svg
        role="img"
        aria-label={summary}
        className={styles['band']}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {stretches.map((stretch) => (
          <rect
            key={stretch.from}
            className={classes(styles[stretch.tone])}
            x={x(stretch.from)}
            width={Math.max(1, x(stretch.to) - x(stretch.from))}
            y={HEIGHT - HEIGHTS[stretch.tone]}
            height={HEIGHTS[stretch.tone]}
          >
            <title>{`${clock.format(stretch.from)}–${clock.format(stretch.to)} ${stretch.label}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className={styles['caption']}>
        <span>{clock.format(from)}</span>
        <span>{summary}</span>
        <span>{clock.format(to)}</span>
      </figcaption>
    </figure>
  );
}
