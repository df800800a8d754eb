import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SystemResource } from '../../../../src/schemas/admin.ts';
import { Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';

/** The service stops counting at this number. */
const COUNTED_TO = 10_000;

export function Waiting({ workload }: { readonly workload: SystemResource['workload'] }): ReactNode {
  const t = useTexts('system');
  const { locale } = useLanguage();
  const number = new Intl.NumberFormat(locale);
  const count = (value: number): string =>
    value === 0 ? t.nothing : `${number.format(value)}${value >= COUNTED_TO ? '+' : ''}`;
  const { oldest_queued_message: oldest, oldest_open_delivery_at: oldestDelivery } = workload;
  return (
    <Panel title={t.waiting}>
      <Facts
        facts={[
          {
            name: t.messages,
            value: (
              <>
                {count(workload.queued_messages)}
                {oldest && (
                  <>
                    {', '}
                    <Link
                      to="/w/$workspace/messages/$message"
                      params={{ workspace: oldest.workspace_id, message: oldest.message_id }}
                    >
                      {t.oldestFor} <Time at={oldest.since} as="distance" />
                    </Link>
                  </>
                )}
              </>
            ),
          },
          {
            name: t.deliveries,
            value: (
              <>
                {count(workload.open_deliveries)}
                {oldestDelivery !== null && (
                  <>
                    {', '}
                    {t.oldestFor} <Time at={oldestDelivery} as="distance" />
                  </>
                )}
              </>
            ),
          },
          { name: t.failingWebhooks, value: count(workload.failing_webhooks) },
          { name: t.downloads, value: count(workload.pending_downloads) },
          { name: t.events, value: count(workload.queued_events) },
          { name: t.exhaustedEvents, value: count(workload.exhausted_events) },
        ]}
      />
    </Panel>
  );
}
