import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { InstanceResource, WebhookResource } from '@trunkline/http/client';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import type { QueueResource } from '../../../../src/schemas/queues.ts';
import { overviewQuery } from '../../api/lists.ts';
import { Headline } from '../../components/headline.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { isSlow } from '../../domain/queue.ts';
import { isTrouble } from '../../domain/number-status.ts';
import { isWebhookTrouble } from '../../domain/webhook-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NowHeadline } from './now-headline.tsx';
import { RangeLinks } from './range-links.tsx';
import { DEFAULT_RANGE } from './search.ts';
import styles from './traffic-section.module.css';
import { NumberTable } from './number-table.tsx';
import { WaitingMessages } from './waiting-messages.tsx';
import { WebhookTable } from './webhook-table.tsx';

// Loaded lazily, because the answer does not need the counts.
const TrafficSection = lazy(() => import('./traffic-section.tsx'));

const route = getRouteApi('/session/w/$workspace/');

/** Shows whether something is wrong, what happened in the chosen range of time, and the numbers and webhooks. */
export function NowPage(): ReactNode {
  const t = useTexts('now');
  const { workspace } = route.useParams();
  const mayReadMessages = useMay('messages:read');
  const query = useQuery({ ...overviewQuery(workspace), refetchInterval: useRefreshMs(10_000) });
  const { range = DEFAULT_RANGE } = route.useSearch();
  const hasTraffic = mayReadMessages && (query.data?.numbers ?? []).length > 0;
  const ranges = hasTraffic && <RangeLinks workspace={workspace} />;
  return (
    <Page title={t.title} actions={ranges}>
      <Loaded query={query}>
        {(overview) => (
          <>
            {overview.numbers && (
              <Standing
                workspace={workspace}
                numbers={overview.numbers}
                webhooks={overview.webhooks ?? []}
                queues={(overview.queues ?? []).filter((queue) => isSlow(queue, query.dataUpdatedAt))}
              />
            )}
            {hasTraffic && (
              <div className={styles['section']}>
                <Suspense>
                  <TrafficSection workspace={workspace} range={range} />
                </Suspense>
              </div>
            )}
            {overview.numbers && overview.numbers.length > 0 && (
              <NumberTable workspace={workspace} numbers={overview.numbers} />
            )}
            {overview.webhooks && <WebhookTable workspace={workspace} webhooks={overview.webhooks} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Standing({
  workspace,
  numbers,
  webhooks,
  queues,
}: {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
  readonly webhooks: readonly WebhookResource[];
  readonly queues: readonly QueueResource[];
}): ReactNode {
  const t = useTexts('now');
  const firstSteps = <FirstSteps workspace={workspace} numbers={numbers} webhooks={webhooks} />;
  if (numbers.length === 0)
    return (
      <>
        <Headline tone="idle" detail={t.nothingYetHint}>
          {t.nothingYet}
        </Headline>
        {firstSteps}
      </>
    );
  return (
    <>
      <NowHeadline
        numbers={numbers.filter(isTrouble)}
        webhooks={webhooks.filter(isWebhookTrouble)}
        waiting={queues.reduce((sum, { queued }) => sum + queued, 0)}
        connected={numbers.filter(({ status }) => status === 'connected').length}
      />
      {firstSteps}
      <WaitingMessages workspace={workspace} numbers={numbers} queues={queues} />
    </>
  );
}
