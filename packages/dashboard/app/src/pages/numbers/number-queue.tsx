import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { queueCount } from '../../domain/queue.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { queueQuery } from './queries.ts';

/** The messages that the number still has to send, and the process that holds the number. */
export function NumberQueue({
  workspaceId,
  instanceId,
}: {
  readonly workspaceId: string;
  readonly instanceId: string;
}): ReactNode {
  const t = useTexts('numbers');
  const { locale } = useLanguage();
  const query = useQuery({ ...queueQuery(workspaceId, instanceId), refetchInterval: useRefreshMs(10_000) });
  return (
    <Panel title={t.queue}>
      <Loaded query={query}>
        {(queue) => (
          <Facts
            facts={[
              {
                name: t.waiting,
                value: queue?.oldest ? (
                  <>
                    <Link
                      to="/w/$workspace/messages"
                      params={{ workspace: workspaceId }}
                      search={{ instance: instanceId, status: 'queued' }}
                    >
                      {t.waitingMessages(queue.queued, queueCount(locale, queue.queued))}
                    </Link>
                    {', '}
                    <Link
                      to="/w/$workspace/messages/$message"
                      params={{ workspace: workspaceId, message: queue.oldest.message_id }}
                    >
                      {t.oldestFor} <Time at={queue.oldest.since} as="distance" />
                    </Link>
                  </>
                ) : (
                  t.nothingWaits
                ),
              },
              {
                name: t.heldBy,
                value: queue?.held_by ? <code>{queue.held_by}</code> : t.heldByNone,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
