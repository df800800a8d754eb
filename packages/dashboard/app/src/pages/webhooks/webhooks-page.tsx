import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { webhooksQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { DELIVERY_TONES } from '../../domain/delivery-status.ts';
import { SUBSCRIBABLE_TYPES } from '../../domain/event-types.ts';
import {
  byWebhookUrgency,
  WEBHOOK_STATES,
  WEBHOOK_TONES,
  webhookName,
  webhookState,
} from '../../domain/webhook-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { AddWebhook } from './add-webhook.tsx';
import type { WebhooksSearch } from './search.ts';
import styles from './webhooks-page.module.css';

const route = getRouteApi('/session/w/$workspace/webhooks');

export function WebhooksPage(): ReactNode {
  const t = useTexts('webhooks');
  const { workspace } = route.useParams();
  const search = route.useSearch();
  // Attempts emit no events, so the page polls.
  const query = useQuery({ ...webhooksQuery(workspace), refetchInterval: useRefreshMs(5_000) });
  const [isAdding, setAdding] = useState(false);
  const add = useMay('webhooks:write') && (
    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <Page title={t.title} actions={add}>
      <Panel
        title={t.title}
        isTitleUnseen
        isFlush
        action={
          <span className={styles['filters']}>
            <FilterSelect
              name="state"
              label={t.status}
              value={search.state}
              options={WEBHOOK_STATES.map((value) => ({ value, label: t.states[value] }))}
            />
            <FilterSelect
              name="event"
              label={t.event}
              value={search.event}
              options={SUBSCRIBABLE_TYPES.map((value) => ({ value, label: value }))}
            />
          </span>
        }
      >
        <Loaded query={query}>
          {({ data }) => <Webhooks workspace={workspace} webhooks={data} search={search} add={add} />}
        </Loaded>
      </Panel>
      <AddWebhook workspaceId={workspace} isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function Webhooks({
  workspace,
  webhooks,
  search: { state, event },
  add,
}: {
  readonly workspace: string;
  readonly webhooks: readonly WebhookResource[];
  readonly search: WebhooksSearch;
  readonly add: ReactNode;
}): ReactNode {
  const t = useTexts('webhooks');
  const common = useTexts('common');
  if (webhooks.length === 0) {
    return (
      <EmptyState icon="webhook" title={t.empty} action={add}>
        {t.emptyHint}
      </EmptyState>
    );
  }
  const shown = webhooks
    .filter((webhook) => state === undefined || webhookState(webhook) === state)
    .filter(({ events }) => event === undefined || events.includes(event))
    .toSorted(byWebhookUrgency);
  if (shown.length === 0) {
    const clear = (
      <Link to="/w/$workspace/webhooks" params={{ workspace }}>
        {common.clearFilters}
      </Link>
    );
    return <EmptyState icon="search" title={t.noneMatch} action={clear} />;
  }
  return (
    <Table
      caption={t.caption}
      rows={shown}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t.webhook,
          cell: (webhook) => (
            <Link
              to="/w/$workspace/webhooks/$webhook"
              params={{ workspace, webhook: webhook.id }}
              className={rowLink}
            >
              {webhookName(webhook)}
            </Link>
          ),
        },
        {
          key: 'state',
          title: t.status,
          cell: (webhook) => {
            const its = webhookState(webhook);
            return <StatusBadge tone={WEBHOOK_TONES[its]}>{t.states[its]}</StatusBadge>;
          },
        },
        { key: 'health', title: t.health, cell: (webhook) => <Health webhook={webhook} /> },
        { key: 'last', title: t.lastDelivery, cell: (webhook) => <LastDelivery webhook={webhook} /> },
        { key: 'events', title: t.events, isNumeric: true, cell: ({ events }) => events.length },
      ]}
    />
  );
}

/** Since when the webhook has failed and when the service gives up, or since when it is disabled. */
function Health({ webhook }: { readonly webhook: WebhookResource }): ReactNode {
  const t = useTexts('webhooks');
  const { failing_since, auto_disable_at, disabled_at } = webhook;
  if (disabled_at !== null)
    return (
      <span>
        {t.since} <Time at={disabled_at} as="moment" />
      </span>
    );
  if (failing_since === null) return '–';
  return (
    <span>
      {t.failingFor} <Time at={failing_since} as="distance" />
      {auto_disable_at !== null && (
        <>
          , {t.disabledIn} <Time at={auto_disable_at} as="countdown" />
        </>
      )}
    </span>
  );
}

function LastDelivery({
  webhook: { last_delivery: last },
}: {
  readonly webhook: WebhookResource;
}): ReactNode {
  const words = useTexts('common');
  if (last === null) return words.never;
  return (
    <span className={styles['last']}>
      <StatusBadge tone={DELIVERY_TONES[last.status]}>{words.deliveryStatuses[last.status]}</StatusBadge>
      {last.response_status !== null && <code>{last.response_status}</code>}
      <span className={styles['quiet']}>
        <Time at={last.at} />
      </span>
    </span>
  );
}
