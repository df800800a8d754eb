import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { InstanceHistoryResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Pager } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { Timeline } from '../../components/timeline.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { historyQuery } from './queries.ts';
import { toneOfStatus } from '../../domain/number-status.ts';

interface NumberTimelineProps {
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly cursor: string | undefined;
}

/** The history of a number, with reasons and the next step, newest first. */
export function NumberTimeline({ workspaceId, instanceId, cursor }: NumberTimelineProps): ReactNode {
  const t = useTexts('numbers');
  const query = useQuery({
    ...historyQuery(workspaceId, instanceId, cursor),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(5_000),
  });
  return (
    <Panel title={t.timeline}>
      <Loaded query={query}>
        {({ data, prevCursor, nextCursor }) => (
          <>
            {data.length === 0 ? (
              <EmptyState title={t.timelineEmpty} />
            ) : (
              <Timeline
                entries={data.map((entry, index) => ({
                  key: entry.id,
                  at: entry.at,
                  tone: toneOfEntry(entry),
                  title: t.reason(entry),
                  details: <Details entry={entry} isNewest={index === 0 && prevCursor === null} />,
                }))}
              />
            )}
            <Pager prevCursor={prevCursor} nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** A disconnection that was requested is not shown as a problem. */
function toneOfEntry({ to, caused_by, code }: InstanceHistoryResource): ReturnType<typeof toneOfStatus> {
  if (to === 'disconnected' && caused_by === 'api' && code === null) return 'idle';
  return toneOfStatus(to);
}

/** Steps that happen at their time. The time of others is when their code expires, which a new code replaces. */
const HAPPENS_BY_ITSELF: ReadonlySet<string> = new Set(['reconnect', 'wait_for_restriction']);

/** Details of an entry. Only the newest entry has a next step: those of older entries are over. */
function Details({
  entry,
  isNewest,
}: {
  readonly entry: InstanceHistoryResource;
  readonly isNewest: boolean;
}): ReactNode {
  const t = useTexts('numbers');
  const { locale } = useLanguage();
  const { count, last_at, code, network_code, next, process, previous_process } = entry;
  return (
    <>
      {next && isNewest && (
        <span>
          → {next.kind === 'reconnect' && next.at === null ? t.statuses.connecting : t.next[next.kind]}
          {next.at !== null && HAPPENS_BY_ITSELF.has(next.kind) && (
            <>
              {' '}
              · <Time at={next.at} as="ago" />
            </>
          )}
        </span>
      )}
      {count > 1 && (
        <span>
          {t.times(new Intl.NumberFormat(locale).format(count))}, {t.lastAt} <Time at={last_at} as="clock" />
        </span>
      )}
      {code !== null && <code>{code}</code>}
      {network_code !== null && <span>{t.networkCode(network_code)}</span>}
      {process !== null && <span>{t.by(process)}</span>}
      {previous_process !== null && <span>{t.byBefore(previous_process)}</span>}
    </>
  );
}
