import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import type { QueueResource } from '../../../../src/schemas/queues.ts';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { queueCount } from '../../domain/queue.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';

interface WaitingMessagesProps {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
  /** The queues whose oldest message has waited for too long. */
  readonly queues: readonly QueueResource[];
}

export function WaitingMessages({ workspace, numbers, queues }: WaitingMessagesProps): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  if (queues.length === 0) return null;
  const names = new Map(numbers.map(({ id, name }) => [id, name]));
  return (
    <Panel title={t.waiting} isFlush>
      <Table
        caption={t.waitingCaption}
        rows={queues}
        keyOf={({ instance_id }) => instance_id}
        columns={[
          {
            key: 'name',
            title: t.name,
            cell: ({ instance_id }) => (
              <Link
                to="/w/$workspace/numbers/$instance"
                params={{ workspace, instance: instance_id }}
                className={rowLink}
              >
                {names.get(instance_id) ?? instance_id}
              </Link>
            ),
          },
          {
            key: 'queued',
            title: t.messages,
            isNumeric: true,
            cell: ({ queued }) => queueCount(locale, queued),
          },
          {
            key: 'oldest',
            title: t.oldest,
            isNumeric: true,
            cell: ({ oldest }) => oldest && <Time at={oldest.since} as="distance" />,
          },
        ]}
      />
    </Panel>
  );
}
