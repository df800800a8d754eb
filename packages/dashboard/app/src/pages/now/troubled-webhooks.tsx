import { Link } from '@tanstack/react-router';
import type { WebhookResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { isWebhookTrouble, webhookName, webhookState, WEBHOOK_TONES } from '../../domain/webhook-status.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './well.module.css';

/** The webhooks that are failing or that the service disabled; other webhooks are only counted. */
export function TroubledWebhooks({
  workspace,
  webhooks,
}: {
  readonly workspace: string;
  readonly webhooks: readonly WebhookResource[];
}): ReactNode {
  const t = useTexts('now');
  const rank = (webhook: WebhookResource): number => (webhookState(webhook) === 'disabled' ? 0 : 1);
  const troubled = webhooks.filter(isWebhookTrouble).toSorted((a, b) => rank(a) - rank(b));
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
      {troubled.length > 0 && (
        <Table
          caption={t.webhooksCaption}
          rows={troubled}
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
                return (
                  <StatusBadge tone={WEBHOOK_TONES[state]}>
                    {state === 'disabled' ? t.disabled : t.failing}
                  </StatusBadge>
                );
              },
            },
            {
              key: 'cause',
              title: t.cause,
              cell: ({ disabled_reason, last_delivery }) => {
                if (disabled_reason) return t.disabledBecause[disabled_reason];
                const status = last_delivery?.response_status ?? null;
                return status === null ? t.noResponse : t.lastResponse(String(status));
              },
            },
            {
              key: 'since',
              title: t.since,
              isNumeric: true,
              cell: ({ disabled_at, failing_since, updated_at }) => (
                <Time at={disabled_at ?? failing_since ?? updated_at} as="distance" />
              ),
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
      {webhooks.length > troubled.length && (
        <p className={styles['quiet']}>{t.webhooksWell(webhooks.length - troubled.length)}</p>
      )}
    </Panel>
  );
}
