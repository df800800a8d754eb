import { Link } from '@tanstack/react-router';
import type { WebhookResource } from '@trunkline/http/client';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import {
  byWebhookUrgency,
  isWebhookTrouble,
  webhookName,
  webhookState,
  WEBHOOK_TONES,
} from '../../domain/webhook-status.ts';
import { useTexts } from '../../texts/language.tsx';
import { idsOf, listed } from './listed.ts';
import styles from './well.module.css';

const WebhookDay = lazy(async () => ({ default: (await import('./day-ticks.tsx')).WebhookDay }));

/** The webhooks with their last day, those that fail or that the service disabled first. Many others are only counted. */
export function WebhookTable({
  workspace,
  webhooks,
}: {
  readonly workspace: string;
  readonly webhooks: readonly WebhookResource[];
}): ReactNode {
  const t = useTexts('now');
  const rows = listed(webhooks.toSorted(byWebhookUrgency), isWebhookTrouble);
  const ids = idsOf(rows);
  return (
    <Panel
      title={t.webhooks}
      isFlush
      action={
        <Link to="/w/$workspace/webhooks" params={{ workspace }}>
          {t.toWebhooks}
        </Link>
      }
    >
      {rows.length > 0 && (
        <Table
          caption={t.webhooksCaption}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'url',
              title: t.address,
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
              key: 'status',
              title: t.status,
              cell: (webhook) => {
                const state = webhookState(webhook);
                return <StatusBadge tone={WEBHOOK_TONES[state]}>{t.webhookStates[state]}</StatusBadge>;
              },
            },
            {
              key: 'day',
              title: t.day,
              cell: ({ id }) => (
                <Suspense>
                  <WebhookDay workspace={workspace} id={id} ids={ids} />
                </Suspense>
              ),
            },
            {
              key: 'cause',
              title: t.cause,
              cell: (webhook) => {
                if (!isWebhookTrouble(webhook)) return '–';
                const { disabled_reason, last_delivery } = webhook;
                if (disabled_reason) return t.disabledBecause[disabled_reason];
                const status = last_delivery?.response_status ?? null;
                return status === null ? t.noResponse : t.lastResponse(String(status));
              },
            },
            {
              key: 'since',
              title: t.since,
              isNumeric: true,
              cell: ({ disabled_at, failing_since }) => {
                const since = disabled_at ?? failing_since;
                return since === null ? '–' : <Time at={since} as="distance" />;
              },
            },
            {
              key: 'next',
              title: t.next,
              isNumeric: true,
              cell: ({ auto_disable_at }) =>
                auto_disable_at === null ? (
                  '–'
                ) : (
                  <span>
                    {t.disabledIn} <Time at={auto_disable_at} as="countdown" />
                  </span>
                ),
            },
          ]}
        />
      )}
      {webhooks.length === 0 && <p className={styles['quiet']}>{t.noWebhooks}</p>}
      {webhooks.length > rows.length && (
        <p className={styles['quiet']}>{t.webhooksWell(webhooks.length - rows.length)}</p>
      )}
    </Panel>
  );
}
