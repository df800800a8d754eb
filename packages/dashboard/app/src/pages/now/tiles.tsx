import type { MessageCounts } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Sparkline } from '../../components/sparkline.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { durationText } from './duration-text.ts';
import styles from './tiles.module.css';
import { deliveredShare, failuresOf, firstFailure } from './traffic.ts';
import type { Slot } from './traffic.ts';

interface TilesProps {
  readonly slots: readonly Slot<MessageCounts>[];
  readonly total: MessageCounts;
}

/** The numbers of a range of time, each with its course. */
export function Tiles({ slots, total }: TilesProps): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const each = (of: (counts: MessageCounts) => number | null, without: number | null) =>
    slots.map(({ counts }) => (counts ? of(counts) : without));
  const most = (values: readonly (number | null)[]): string =>
    t.atMost(number(Math.max(0, ...values.map((value) => value ?? 0))));
  const sent = each((counts) => counts.sent, 0);
  const received = each((counts) => counts.received, 0);
  const share = deliveredShare(total);
  const failure = firstFailure(total.failed);
  const { p50_ms, p95_ms } = total.time_to_network;
  return (
    <dl className={styles['tiles']}>
      <Tile title={t.sent} value={number(total.sent)} detail={most(sent)} values={sent} tone="good" />
      <Tile
        title={t.received}
        value={number(total.received)}
        detail={most(received)}
        values={received}
        tone="busy"
      />
      <Tile
        title={t.delivered}
        value={share === null ? '–' : percent.format(share)}
        detail={t.ofSent(number(total.read))}
        values={each(deliveredShare, null)}
        tone="good"
      />
      <Tile
        title={t.failed}
        value={number(failuresOf(total))}
        detail={failure ? `${number(failure.count)} ${failure.code}` : t.noFailure}
        values={each(failuresOf, 0)}
        tone={failure ? 'bad' : 'idle'}
      />
      <Tile
        title={t.timeToNetwork}
        value={durationText(locale, p50_ms)}
        detail={t.p95(durationText(locale, p95_ms))}
        values={each((counts) => counts.time_to_network.p50_ms, null)}
        tone="act"
      />
    </dl>
  );
}

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly detail: string;
  readonly values: readonly (number | null)[];
  readonly tone: Tone;
}

function Tile({ title, value, detail, values, tone }: TileProps): ReactNode {
  return (
    <div className={styles['tile']}>
      <dt>{title}</dt>
      <dd className={styles['value']}>{value}</dd>
      <dd className={styles['detail']}>{detail}</dd>
      <dd>
        <Sparkline values={values} tone={tone} />
      </dd>
    </div>
  );
}
