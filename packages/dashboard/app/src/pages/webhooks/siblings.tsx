import { useQuery } from '@tanstack/react-query';
import type { DeliveryDetailResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { webhooksQuery } from '../../api/lists.ts';
import { Panel } from '../../components/panel.tsx';
import { webhookName } from '../../domain/webhook-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { siblingsQuery } from './queries.ts';

export function Siblings({
  workspaceId,
  delivery: { id, event },
}: {
  readonly workspaceId: string;
  readonly delivery: DeliveryDetailResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const webhooks = useQuery(webhooksQuery(workspaceId)).data?.data ?? [];
  const query = useQuery({ ...siblingsQuery(workspaceId, event.id), refetchInterval: useRefreshMs(10_000) });
  const others = query.data?.filter((other) => other.id !== id) ?? [];
  if (others.length === 0) return null;
  const names = new Map(webhooks.map((webhook) => [webhook.id, webhookName(webhook)]));
  return (
    <Panel title={t.others} isFlush>
      <DeliveryTable
        workspaceId={workspaceId}
        caption={t.othersCaption}
        deliveries={others}
        name={{ title: t.webhook, of: ({ webhook_id }) => names.get(webhook_id) ?? t.webhookGone }}
      />
    </Panel>
  );
}
