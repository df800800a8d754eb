import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DeliveryDetailResource, MessageResource } from '@trunkline/http/client';
import type { WebhookEvent } from '@trunkline/receiver';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { DELIVERY_TONES } from '../../domain/delivery-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './message-events.module.css';
import { eventDeliveriesQuery, messageEventsQuery } from './queries.ts';

export function MessageEvents({
  workspaceId,
  message,
}: {
  readonly workspaceId: string;
  readonly message: MessageResource;
}): ReactNode {
  const t = useTexts('messages');
  const mayReadWebhooks = useMay('webhooks:read');
  const query = useQuery({
    ...messageEventsQuery(workspaceId, message.id),
    refetchInterval: useRefreshMs(5_000),
  });
  return (
    <Panel title={t.events}>
      <Loaded query={query}>
        {(events) =>
          events.length === 0 ? (
            <EmptyState title={t.eventsEmpty} />
          ) : (
            <ol className={styles['events']}>
              {events.map((event) => (
                <li key={event.id} className={styles['event']}>
                  <p className={styles['head']}>
                    <code>{event.type}</code>
                    <span className={styles['quiet']}>
                      <Time at={event.created_at} as="precise" />
                    </span>
                  </p>
                  {mayReadWebhooks ? (
                    <EventDeliveries workspaceId={workspaceId} event={event} />
                  ) : (
                    <p className={styles['quiet']}>{t.noAccess}</p>
                  )}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}

function EventDeliveries({
  workspaceId,
  event,
}: {
  readonly workspaceId: string;
  readonly event: WebhookEvent;
}): ReactNode {
  const t = useTexts('messages');
  const calm = useRefreshMs(10_000);
  const query = useQuery({
    ...eventDeliveriesQuery(workspaceId, event.id),
    // Attempts emit no events, so the page polls while another attempt is expected.
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'pending' || status === 'retrying') ? 5_000 : calm,
  });
  return (
    <Loaded query={query}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <p className={styles['quiet']}>{t.noReceiver}</p>
        ) : (
          <ul className={styles['deliveries']}>
            {deliveries.map((delivery) => (
              <li key={delivery.id}>
                <Delivery workspaceId={workspaceId} delivery={delivery} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Delivery({
  workspaceId,
  delivery,
}: {
  readonly workspaceId: string;
  readonly delivery: DeliveryDetailResource;
}): ReactNode {
  const t = useTexts('messages');
  const words = useTexts('common');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  const { id, request, status, attempt_log, next_retry_at } = delivery;
  return (
    <>
      <p className={styles['head']}>
        <StatusBadge tone={DELIVERY_TONES[status]}>{words.deliveryStatuses[status]}</StatusBadge>
        <Link
          to="/w/$workspace/deliveries/$delivery"
          params={{ workspace: workspaceId, delivery: id }}
          className={styles['url']}
        >
          {request.url === '' ? id : request.url}
        </Link>
        {next_retry_at !== null && (
          <span className={styles['quiet']}>
            {t.nextAttempt}: <Time at={next_retry_at} />
          </span>
        )}
      </p>
      {attempt_log.length > 0 && (
        <ol className={styles['attempts']}>
          {attempt_log.map(({ attempt, manual, at, response_status, error_code, duration_ms }) => (
            <li key={attempt}>
              <Time at={at} as="precise" /> · {t.attempt(numbers.format(attempt))}
              {manual && ` (${t.byHand})`} · <code>{response_status ?? error_code ?? '–'}</code> ·{' '}
              {numbers.format(duration_ms)} ms
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
