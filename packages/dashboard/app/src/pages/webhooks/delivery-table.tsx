import { Link } from '@tanstack/react-router';
import type { DeliveryResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { DELIVERY_TONES } from '../../domain/delivery-status.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';

interface DeliveryTableProps {
  readonly workspaceId: string;
  readonly caption: string;
  readonly deliveries: readonly DeliveryResource[];
  /** The row's first column; by default, the delivery's event. */
  readonly name?: { readonly title: string; of(delivery: DeliveryResource): string };
  readonly isStale?: boolean;
}

export function DeliveryTable({
  workspaceId,
  caption,
  deliveries,
  name,
  isStale = false,
}: DeliveryTableProps): ReactNode {
  const t = useTexts('webhooks');
  const words = useTexts('common');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  return (
    <Table
      caption={caption}
      rows={deliveries}
      keyOf={({ id }) => id}
      isStale={isStale}
      columns={[
        {
          key: 'name',
          title: name?.title ?? t.event,
          cell: (delivery) => (
            <Link
              to="/w/$workspace/deliveries/$delivery"
              params={{ workspace: workspaceId, delivery: delivery.id }}
              className={rowLink}
            >
              {name?.of(delivery) ?? delivery.event.type}
            </Link>
          ),
        },
        {
          key: 'status',
          title: t.status,
          cell: ({ status }) => (
            <StatusBadge tone={DELIVERY_TONES[status]}>{words.deliveryStatuses[status]}</StatusBadge>
          ),
        },
        {
          key: 'response',
          title: t.response,
          cell: ({ response_status, error_code }) => <code>{response_status ?? error_code ?? '–'}</code>,
        },
        {
          key: 'attempts',
          title: t.attempts,
          isNumeric: true,
          cell: ({ attempts, max_attempts }) =>
            t.attemptsOf(numbers.format(attempts), numbers.format(max_attempts)),
        },
        {
          key: 'next',
          title: t.nextAttempt,
          cell: ({ next_retry_at }) => (next_retry_at === null ? '–' : <Time at={next_retry_at} />),
        },
        {
          key: 'when',
          title: t.when,
          isNumeric: true,
          cell: ({ created_at }) => <Time at={created_at} as="moment" />,
        },
      ]}
    />
  );
}
