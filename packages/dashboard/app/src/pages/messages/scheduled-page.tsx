import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { numbersQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { counterpartName } from '../../domain/message-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { Excerpt } from './messages-page.tsx';
import styles from './messages-page.module.css';
import { scheduledQuery } from './queries.ts';

const route = getRouteApi('/session/w/$workspace/scheduled');

/** The messages that wait for their time. They can be cancelled until then. */
export function ScheduledPage(): ReactNode {
  const t = useTexts('messages');
  const { workspace } = route.useParams();
  const search = route.useSearch();
  const numbers = useQuery(numbersQuery(workspace)).data ?? [];
  const query = useQuery({
    ...scheduledQuery(workspace, search),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(10_000),
  });
  return (
    <Page title={t.scheduled.title}>
      <div className={styles['filters']}>
        <FilterSelect
          name="instance"
          label={t.number}
          value={search.instance}
          options={numbers.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Link to="/w/$workspace/messages" params={{ workspace }}>
          {t.title}
        </Link>
      </div>
      <Panel title={t.scheduled.title} isTitleUnseen isFlush>
        <Loaded query={query}>
          {({ data, prevCursor, nextCursor }) => (
            <>
              {data.length === 0 && (
                <EmptyState icon="message" title={t.scheduled.none}>
                  {t.scheduled.noneHint}
                </EmptyState>
              )}
              {data.length > 0 && (
                <ScheduledTable workspace={workspace} rows={data} isStale={query.isPlaceholderData} />
              )}
              <Pager prevCursor={prevCursor} nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

function ScheduledTable({
  workspace,
  rows,
  isStale,
}: {
  readonly workspace: string;
  readonly rows: readonly MessageResource[];
  readonly isStale: boolean;
}): ReactNode {
  const t = useTexts('messages');
  const nameOf = (message: MessageResource): string =>
    counterpartName(message) ?? (message.group_id === null ? t.unknownCounterpart : t.group);
  return (
    <Table
      caption={t.scheduled.caption}
      rows={rows}
      keyOf={({ id }) => id}
      isStale={isStale}
      columns={[
        {
          key: 'counterpart',
          title: t.counterpart,
          cell: (message) => (
            <Link
              to="/w/$workspace/messages/$message"
              params={{ workspace, message: message.id }}
              className={rowLink}
            >
              {nameOf(message)}
            </Link>
          ),
        },
        { key: 'content', title: t.content, cell: (message) => <Excerpt message={message} /> },
        {
          key: 'sendAt',
          title: t.scheduled.sendAt,
          isNumeric: true,
          cell: ({ send_at, created_at }) => <Time at={send_at ?? created_at} as="moment" />,
        },
        {
          key: 'cancel',
          title: t.scheduled.cancel,
          cell: (message) => <Cancel workspace={workspace} id={message.id} name={nameOf(message)} />,
        },
      ]}
    />
  );
}

function Cancel({
  workspace,
  id,
  name,
}: {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
}): ReactNode {
  const t = useTexts('messages');
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  if (!useMay('messages:send')) return null;
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>{t.scheduled.cancel}</Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={t.scheduled.cancelTitle(name)}
        verb={t.scheduled.cancel}
        act={async () => unwrap(await clientOf(workspace).messages.cancel(id))}
        onDone={() => void queries.invalidateQueries({ queryKey: keyOf(workspace, 'messages') })}
      >
        {t.scheduled.cancelHint}
      </Confirm>
    </>
  );
}
