import { useQuery } from '@tanstack/react-query';
import type { WebhookTrafficResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import { DayChart } from './day-chart.tsx';
import { slotsOf } from './day.ts';
import styles from './day-panel.module.css';
import { dayQuery } from './queries.ts';

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
      <Loaded query={query}>{(traffic) => <Day traffic={traffic} />}</Loaded>
    </Panel>
  );
}

function Day({ traffic }: { readonly traffic: WebhookTrafficResource }): ReactNode {
  const t = useTexts('webhooks');
  const slots = slotsOf(traffic);
  if (!slots.some(({ succeeded, refused, unanswered }) => succeeded + refused + unanswered > 0))
    return <p className={styles['quiet']}>{t.dayEmpty}</p>;
  return <DayChart slots={slots} total={traffic.total} />;
}
