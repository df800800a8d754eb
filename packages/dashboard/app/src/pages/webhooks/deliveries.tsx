import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DeliveryResource, WebhookResource } from '@trunkline/http/client';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { keyOf } from '../../api/keys.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Pager } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { DELIVERY_STATUSES } from '../../domain/delivery-status.ts';
import { EVENT_TYPES } from '../../domain/event-types.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import styles from './deliveries.module.css';
import { deliveriesQuery } from './queries.ts';
import { RetryFailed } from './retry-failed.tsx';
import type { WebhookSearch } from './search.ts';

export function Deliveries({
  workspaceId,
  webhook,
  search,
}: {
  readonly workspaceId: string;
  readonly webhook: WebhookResource;
  readonly search: WebhookSearch;
}): ReactNode {
  const t = useTexts('webhooks');
  const words = useTexts('common');
  const mayWrite = useMay('webhooks:write');
  const calm = useRefreshMs(10_000);
  const query = useQuery({
    ...deliveriesQuery(workspaceId, webhook.id, search),
    placeholderData: keepPreviousData,
    // Attempts emit no events, so the page polls while another attempt is expected.
    refetchInterval: ({ state }) => refreshMs(state.data?.data ?? [], calm),
  });
  useRestAfter(workspaceId, query.data?.data);
  const { cursor, ...filters } = search;
  return (
    <Panel title={t.deliveries} isFlush>
      <div className={styles['tools']}>
        <FilterSelect
          name="status"
          label={t.status}
          value={search.status}
          options={DELIVERY_STATUSES.map((value) => ({ value, label: words.deliveryStatuses[value] }))}
        />
        <FilterSelect
          name="event"
          label={t.event}
          value={search.event}
          options={EVENT_TYPES.map((value) => ({ value, label: value }))}
        />
        {mayWrite && webhook.status === 'enabled' && (
          <RetryFailed workspaceId={workspaceId} webhookId={webhook.id} />
        )}
      </div>
      <Loaded query={query}>
        {({ data, nextCursor }) => (
          <>
            {data.length === 0 && (
              <None
                workspace={workspaceId}
                webhook={webhook.id}
                isFiltered={Object.keys(filters).length > 0 || cursor !== undefined}
              />
            )}
            {data.length > 0 && (
              <DeliveryTable
                workspaceId={workspaceId}
                caption={t.deliveriesCaption}
                deliveries={data}
                isStale={query.isPlaceholderData}
              />
            )}
            {/* Leads to the newest deliveries, because the API has no cursor for newer ones. */}
            <Pager
              prevCursor={cursor === undefined ? null : ''}
              nextCursor={nextCursor}
              labels={{ prev: t.newest, next: t.older }}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** Reads the webhook and its last 24 hours again when an outcome in the shown deliveries changes. */
function useRestAfter(workspaceId: string, deliveries: readonly DeliveryResource[] | undefined): void {
  const queries = useQueryClient();
  const outcomes = deliveries?.map(({ id, status, attempts }) => `${id} ${status} ${attempts}`).join();
  const seen = useRef(outcomes);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== outcomes) {
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'webhooks') });
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'deliveries', 'day') });
    }
    seen.current = outcomes;
  }, [queries, workspaceId, outcomes]);
}

function refreshMs(deliveries: readonly DeliveryResource[], calm: number): number {
  if (deliveries.some(({ status }) => status === 'pending')) return 1_000;
  return deliveries.some(({ status }) => status === 'retrying') ? 5_000 : calm;
}

function None({
  workspace,
  webhook,
  isFiltered,
}: {
  readonly workspace: string;
  readonly webhook: string;
  readonly isFiltered: boolean;
}): ReactNode {
  const t = useTexts('webhooks');
  const common = useTexts('common');
  if (!isFiltered) return <EmptyState title={t.deliveriesEmpty}>{t.deliveriesEmptyHint}</EmptyState>;
  const clear = (
    <Link to="/w/$workspace/webhooks/$webhook" params={{ workspace, webhook }}>
      {common.clearFilters}
    </Link>
  );
  return <EmptyState title={t.deliveriesNone} action={clear} />;
}
