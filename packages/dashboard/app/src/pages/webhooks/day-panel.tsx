import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import { DayChart } from './day-chart.tsx';
import { DAY_MS, slotsOf } from './day.ts';
import styles from './day-panel.module.css';
import { dayQuery } from './queries.ts';
import type { DayOfDeliveries } from './queries.ts';

export default function DayPanel({
  workspaceId,
  webhookId,
}: {
  readonly workspaceId: string;
  readonly webhookId: string;
}): ReactNode {
  const t = useTexts('webhooks');
  const query = useQuery({ ...dayQuery(workspaceId, webhookId), refetchInterval: useRefreshMs() });
  return (
    <Panel title={t.day}>
      <Loaded query={query}>{(day) => <Day day={day} readAt={query.dataUpdatedAt} />}</Loaded>
    </Panel>
  );
}

function Day({ day, readAt }: { readonly day: DayOfDeliveries; readonly readAt: number }): ReactNode {
  const t = useTexts('webhooks');
  const { deliveries, isPart } = day;
  const oldest = deliveries.at(-1);
  if (!oldest) return <p className={styles['quiet']}>{t.dayEmpty}</p>;
  const from = isPart ? Math.min(Date.parse(oldest.created_at), readAt - 1) : readAt - DAY_MS;
  return (
    <div className={styles['day']}>
      {isPart && <p className={styles['quiet']}>{t.dayPart(deliveries.length)}</p>}
      <DayChart slots={slotsOf(deliveries, from, readAt)} from={from} to={readAt} />
    </div>
  );
}
