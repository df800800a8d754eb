import { Link } from '@tanstack/react-router';
import type { WebhookResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Time, useNow } from '../../components/time.tsx';
import { webhookState, WEBHOOK_TONES } from '../../domain/webhook-status.ts';
import { useTexts } from '../../texts/language.tsx';
import { Verdict } from './verdict.tsx';

export function WebhookHealth({
  workspaceId,
  webhook,
}: {
  readonly workspaceId: string;
  readonly webhook: WebhookResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const state = webhookState(webhook);
  return (
    <Verdict
      tone={WEBHOOK_TONES[state]}
      status={t.states[state]}
      more={
        <>
          <FailingSince webhook={webhook} />
          {webhook.auto_disable_at !== null && <Disabling at={webhook.auto_disable_at} />}
          <Disabled webhook={webhook} />
          <Last workspaceId={workspaceId} webhook={webhook} />
        </>
      }
    >
      {t.meanings[state]}
    </Verdict>
  );
}

function FailingSince({ webhook: { failing_since } }: { readonly webhook: WebhookResource }): ReactNode {
  const t = useTexts('webhooks');
  if (failing_since === null) return null;
  return (
    <p>
      {t.failingSince} <Time at={failing_since} as="moment" /> (<Time at={failing_since} />)
    </p>
  );
}

function Disabling({ at }: { readonly at: string }): ReactNode {
  const t = useTexts('webhooks');
  const isDue = Date.parse(at) <= useNow();
  if (isDue) return <p>{t.disabledSoon}</p>;
  return (
    <p>
      {t.disabledNext}{' '}
      <b>
        <Time at={at} as="countdown" />
      </b>
      .
    </p>
  );
}

function Disabled({
  webhook: { disabled_at, disabled_reason },
}: {
  readonly webhook: WebhookResource;
}): ReactNode {
  const t = useTexts('webhooks');
  if (disabled_at === null) return null;
  return (
    <p>
      {t.disabledAt} <Time at={disabled_at} as="moment" /> (<Time at={disabled_at} />)
      {disabled_reason !== null && ` · ${t.disabledBecause[disabled_reason]}`}
    </p>
  );
}

function Last({
  workspaceId,
  webhook: { last_delivery: last },
}: {
  readonly workspaceId: string;
  readonly webhook: WebhookResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const words = useTexts('common');
  if (last === null) return null;
  return (
    <p>
      <Link to="/w/$workspace/deliveries/$delivery" params={{ workspace: workspaceId, delivery: last.id }}>
        {t.lastDelivery}
      </Link>
      : {words.deliveryStatuses[last.status]} · <code>{last.response_status ?? t.noResponse}</code> ·{' '}
      <Time at={last.at} />
    </p>
  );
}
