import type { DeliveryDetailResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Time } from '../../components/time.tsx';
import { DELIVERY_TONES } from '../../domain/delivery-status.ts';
import { useTexts } from '../../texts/language.tsx';
import { Verdict } from './verdict.tsx';

export function DeliveryStanding({ delivery }: { readonly delivery: DeliveryDetailResource }): ReactNode {
  const t = useTexts('webhooks');
  const words = useTexts('common');
  const { status, waiting, error_code, response_status, last_attempt_at, next_retry_at, event } = delivery;
  const until = waiting?.until ?? next_retry_at;
  return (
    <Verdict
      tone={DELIVERY_TONES[status]}
      status={words.deliveryStatuses[status]}
      more={
        <>
          {last_attempt_at !== null && (
            <p>
              {t.response}: <code>{response_status ?? t.noResponse}</code>
              {error_code !== null && ` · ${t.errors[error_code]}`} ·{' '}
              <Time at={last_attempt_at} as="moment" /> (<Time at={last_attempt_at} />)
            </p>
          )}
          {until !== null && (
            <p>
              {t.next} <Time at={until} as="moment" /> (<Time at={until} />)
            </p>
          )}
          <p>
            {t.event}: {t.eventMeanings[event.type]} <Time at={event.occurred_at} as="moment" />
          </p>
        </>
      }
    >
      {waiting ? t.waiting[waiting.reason] : t.standing[status]}
    </Verdict>
  );
}
