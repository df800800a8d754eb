import { useQuery } from '@tanstack/react-query';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { Strip } from '../../components/strip.tsx';
import { distanceText } from '../../components/time.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { DAY_MS, stretchesOf } from './day.ts';
import styles from './number-page.module.css';
import { dayQuery } from './queries.ts';
import { toneOfStatus } from '../../domain/number-status.ts';

/** If less time than this is known, no chart is shown. */
const SHORTEST_MS = 60_000;

interface DayStripProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
}

/** The number's statuses over the last 24 hours, and its uptime in percent. */
export function DayStrip({ workspaceId, number }: DayStripProps): ReactNode {
  const t = useTexts('numbers');
  const query = useQuery({ ...dayQuery(workspaceId, number.id), refetchInterval: useRefreshMs(60_000) });
  const { locale } = useLanguage();
  return (
    <Panel title={t.day}>
      <Loaded query={query}>
        {({ history, at }) => {
          const stretches = stretchesOf(history, number, at);
          const known = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
          const connected = stretches
            .filter(({ status }) => status === 'connected')
            .reduce((sum, { from, to }) => sum + to - from, 0);
          if (known < SHORTEST_MS) return <p className={styles['quiet']}>{t.dayTooShort}</p>;
          const share = new Intl.NumberFormat(locale, { style: 'percent' }).format(
            Math.floor((connected / known) * 100) / 100,
          );
          return (
            <Strip
              summary={t.daySummary(share, distanceText(locale, known))}
              from={at - DAY_MS}
              to={at}
              stretches={stretches.map(({ from, to, status }) => ({
                from,
                to,
                tone: toneOfStatus(status),
                label: t.statuses[status],
              }))}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}
