import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookResource } from '@trunkline/http/client';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { Facts } from '../../components/facts.tsx';
import { Id } from '../../components/id.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { webhookName } from '../../domain/webhook-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { Deliveries } from './deliveries.tsx';
import { webhookQuery } from './queries.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookHealth } from './webhook-health.tsx';
import styles from './webhook-page.module.css';

const route = getRouteApi('/session/w/$workspace/webhooks/$webhook');

/** Loaded lazily, because the panel is below the fold. */
const DayPanel = lazy(() => import('./day-panel.tsx'));

export function WebhookPage(): ReactNode {
  const { workspace, webhook } = route.useParams();
  // Attempts emit no events, so the page polls.
  const query = useQuery({ ...webhookQuery(workspace, webhook), refetchInterval: useRefreshMs(5_000) });
  return (
    <LoadedPage query={query} title={webhook} above={<Above workspace={workspace} />}>
      {(found) => <Webhook workspace={workspace} webhook={found} />}
    </LoadedPage>
  );
}

function Webhook({
  workspace,
  webhook,
}: {
  readonly workspace: string;
  readonly webhook: WebhookResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const search = route.useSearch();
  const mayWrite = useMay('webhooks:write');
  return (
    <Page
      title={webhookName(webhook)}
      above={<Above workspace={workspace} />}
      facts={<Id value={webhook.id} />}
      actions={mayWrite && <WebhookActions workspaceId={workspace} webhook={webhook} />}
    >
      <WebhookHealth workspaceId={workspace} webhook={webhook} />
      <Suspense fallback={null}>
        <DayPanel workspaceId={workspace} webhookId={webhook.id} />
      </Suspense>
      <Deliveries workspaceId={workspace} webhook={webhook} search={search} />
      <Panel title={t.settings}>
        <Settings workspace={workspace} webhook={webhook} />
      </Panel>
    </Page>
  );
}

function Above({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('webhooks');
  return (
    <Link to="/w/$workspace/webhooks" params={{ workspace }}>
      {t.title}
    </Link>
  );
}

function Settings({
  workspace,
  webhook,
}: {
  readonly workspace: string;
  readonly webhook: WebhookResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const { url, description, events, instances, secret_hint, secret_begins_at, trace_context } = webhook;
  const { created_at, updated_at } = webhook;
  return (
    <Facts
      facts={[
        { name: t.address, value: <Id value={url} label={t.address} /> },
        { name: t.description, value: description },
        {
          name: t.events,
          value: (
            <ul className={styles['events']}>
              {events.map((event) => (
                <li key={event}>
                  <code>{event}</code> <span className={styles['quiet']}>{t.eventMeanings[event]}</span>
                </li>
              ))}
            </ul>
          ),
        },
        {
          name: t.numbers,
          value: instances === null ? t.allNumbers : <ChosenNumbers workspace={workspace} ids={instances} />,
        },
        {
          name: t.secret,
          value: (
            <>
              <code>{secret_hint}</code>
              {secret_begins_at !== null && (
                <>
                  {' '}
                  · {t.signsFrom} <Time at={secret_begins_at} as="moment" />
                </>
              )}
            </>
          ),
        },
        { name: t.trace, value: trace_context ? t.yes : t.no },
        { name: t.created, value: <Time at={created_at} as="moment" /> },
        { name: t.updated, value: <Time at={updated_at} as="moment" /> },
      ]}
    />
  );
}

function ChosenNumbers({
  workspace,
  ids,
}: {
  readonly workspace: string;
  readonly ids: readonly string[];
}): ReactNode {
  const { data: numbers } = useQuery(numbersQuery(workspace));
  return (
    <ul className={styles['events']}>
      {ids.map((id) => {
        const known = numbers?.find((number) => number.id === id);
        return (
          <li key={id}>
            {known ? (
              <Link to="/w/$workspace/numbers/$instance" params={{ workspace, instance: id }}>
                {known.name}
              </Link>
            ) : (
              <Id value={id} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
