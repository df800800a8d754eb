import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { webhooksQuery } from '../../api/lists.ts';
import { Json } from '../../components/json.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { DELIVERY_TONES } from '../../domain/delivery-status.ts';
import { webhookName } from '../../domain/webhook-status.ts';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './events-page.module.css';
import { eventDeliveriesQuery } from './queries.ts';
import type { ShownEvent } from './shown-event.ts';

interface EventRowProps {
  readonly workspaceId: string;
  readonly event: Extract<ShownEvent, { readonly kind: 'event' }>;
  /** The name of the number; null if it is unknown. */
  readonly number: string | null;
}

/** An event in one line. Opened, it shows its body and its deliveries, which are read only then. */
export function EventRow({ workspaceId, event, number }: EventRowProps): ReactNode {
  const t = useTexts('events');
  const mayReadWebhooks = useMay('webhooks:read');
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { id, type, at, instanceId, messageId, body, text } = event;
  return (
    <>
      <p className={styles['line']}>
        <span className={styles['quiet']}>{at !== null && <Time at={at} as="precise" />}</span>
        <button
          type="button"
          className={styles['toggle']}
          aria-expanded={isOpen}
          aria-controls={isOpen ? details : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {type}
        </button>
        {instanceId !== null && (
          <Link
            to="/w/$workspace/numbers/$instance"
            params={{ workspace: workspaceId, instance: instanceId }}
          >
            {number ?? instanceId}
          </Link>
        )}
        {messageId !== null && (
          <Link to="/w/$workspace/messages/$message" params={{ workspace: workspaceId, message: messageId }}>
            {t.message}
          </Link>
        )}
      </p>
      {isOpen && (
        <div id={details} className={styles['details']}>
          <Json label={t.body} value={body} {...(text !== undefined && { text })} />
          {mayReadWebhooks && <Deliveries workspaceId={workspaceId} eventId={id} />}
        </div>
      )}
    </>
  );
}

function Deliveries({
  workspaceId,
  eventId,
}: {
  readonly workspaceId: string;
  readonly eventId: string;
}): ReactNode {
  const t = useTexts('events');
  const words = useTexts('common');
  const query = useQuery(eventDeliveriesQuery(workspaceId, eventId));
  const webhooks = useQuery(webhooksQuery(workspaceId)).data?.data;
  const nameOf = (webhookId: string): string => {
    const webhook = webhooks?.find(({ id }) => id === webhookId);
    return webhook ? webhookName(webhook) : webhookId;
  };
  return (
    <Loaded query={query}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <p className={styles['quiet']}>{t.noDelivery}</p>
        ) : (
          <ul aria-label={t.deliveries} className={styles['deliveries']}>
            {deliveries.map(({ id, status, webhook_id }) => (
              <li key={id} className={styles['line']}>
                <StatusBadge tone={DELIVERY_TONES[status]}>{words.deliveryStatuses[status]}</StatusBadge>
                <Link
                  to="/w/$workspace/deliveries/$delivery"
                  params={{ workspace: workspaceId, delivery: id }}
                >
                  {nameOf(webhook_id)}
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
