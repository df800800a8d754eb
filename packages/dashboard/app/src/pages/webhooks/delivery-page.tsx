import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { DeliveryDetailResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { webhooksQuery } from '../../api/lists.ts';
import { Id } from '../../components/id.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { webhookName } from '../../domain/webhook-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Attempts } from './attempts.tsx';
import { CheckSignature } from './check-signature.tsx';
import { DeliveryActions } from './delivery-actions.tsx';
import { DeliveryStanding } from './delivery-standing.tsx';
import { deliveryQuery } from './queries.ts';
import { RequestSent } from './request-sent.tsx';
import { messageIdIn } from './request-text.ts';
import { Siblings } from './siblings.tsx';

const route = getRouteApi('/session/w/$workspace/deliveries/$delivery');

export function DeliveryPage(): ReactNode {
  const { workspace, delivery } = route.useParams();
  const calm = useRefreshMs(10_000);
  const query = useQuery({
    ...deliveryQuery(workspace, delivery),
    // Attempts emit no events, so the page polls while another attempt is expected.
    refetchInterval: ({ state }) => refreshMs(state.data, calm),
  });
  return (
    <LoadedPage query={query} title={delivery} above={<Above workspace={workspace} />}>
      {(found) => <Delivery workspace={workspace} delivery={found} />}
    </LoadedPage>
  );
}

function refreshMs(delivery: DeliveryDetailResource | undefined, calm: number): number {
  if (delivery?.status === 'pending') return 1_000;
  return delivery?.status === 'retrying' ? 5_000 : calm;
}

function Delivery({
  workspace,
  delivery,
}: {
  readonly workspace: string;
  readonly delivery: DeliveryDetailResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const messageId = messageIdIn(delivery.request.payload);
  return (
    <Page
      title={t.deliveryTitle(delivery.event.type)}
      above={<Above workspace={workspace} webhookId={delivery.webhook_id} />}
      facts={
        <>
          {messageId !== null && (
            <Link to="/w/$workspace/messages/$message" params={{ workspace, message: messageId }}>
              {t.message}
            </Link>
          )}
          <Id value={delivery.id} />
        </>
      }
      actions={<DeliveryActions workspaceId={workspace} delivery={delivery} />}
    >
      <DeliveryStanding delivery={delivery} />
      <Panel title={t.attemptsTitle}>
        <Attempts delivery={delivery} />
      </Panel>
      <Panel title={t.request}>
        <RequestSent request={delivery.request} />
      </Panel>
      <Siblings workspaceId={workspace} delivery={delivery} />
      <Panel title={t.check}>
        <CheckSignature key={delivery.id} delivery={delivery} />
      </Panel>
    </Page>
  );
}

function Above({
  workspace,
  webhookId,
}: {
  readonly workspace: string;
  readonly webhookId?: string;
}): ReactNode {
  const t = useTexts('webhooks');
  const webhooks = useQuery({ ...webhooksQuery(workspace), enabled: webhookId !== undefined }).data?.data;
  const webhook = webhooks?.find(({ id }) => id === webhookId);
  return (
    <>
      <Link to="/w/$workspace/webhooks" params={{ workspace }}>
        {t.title}
      </Link>
      {webhook && (
        <>
          {' / '}
          <Link to="/w/$workspace/webhooks/$webhook" params={{ workspace, webhook: webhook.id }}>
            {webhookName(webhook)}
          </Link>
        </>
      )}
      {webhooks && webhookId !== undefined && !webhook && ` / ${t.webhookGone}`}
    </>
  );
}
