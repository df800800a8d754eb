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
import { TroubledNumbers } from './troubled-numbers.tsx';
import { WaitingMessages } from './waiting-messages.tsx';
import { TroubledWebhooks } from './troubled-webhooks.tsx';

// Loaded lazily, because the first render does not show the 24-hour chart.
const HoursPanel = lazy(() => import('./hours-panel.tsx'));

const route = getRouteApi('/session/w/$workspace/');

/** Shows the problems and, below, the messages of the last 24 hours. */
export function NowPage(): ReactNode {
  const t = useTexts('now');
  const { workspace } = route.useParams();
  const mayReadMessages = useMay('messages:read');
  const query = useQuery({ ...overviewQuery(workspace), refetchInterval: useRefreshMs(10_000) });
  const numbers = query.data?.numbers ?? [];
  return (
    <Page title={t.title}>
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
            {overview.webhooks && <TroubledWebhooks workspace={workspace} webhooks={overview.webhooks} />}
          </>
        )}
      </Loaded>
      {mayReadMessages && numbers.length > 0 && (
        <Suspense>
          <HoursPanel workspaceId={workspace} />
        </Suspense>
      )}
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
      <TroubledNumbers workspace={workspace} numbers={numbers} />
    </>
  );
}
