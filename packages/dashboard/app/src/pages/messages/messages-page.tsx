import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { MessageResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { FilterTime } from '../../components/filter-time.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import {
  counterpartName,
  MESSAGE_STATUSES,
  MESSAGE_TONES,
  MESSAGE_TYPES,
  namesByNumber,
} from '../../domain/message-status.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './messages-page.module.css';
import { MessageSearch } from './message-search.tsx';
import { messagesQuery } from './queries.ts';

const route = getRouteApi('/session/w/$workspace/messages');

export function MessagesPage(): ReactNode {
  const t = useTexts('messages');
  const { workspace } = route.useParams();
  const search = route.useSearch();
  const numbers = useQuery(numbersQuery(workspace)).data ?? [];
  const query = useQuery({
    ...messagesQuery(workspace, search),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(10_000),
  });
  const { cursor, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title={t.title}>
      <MessageSearch workspaceId={workspace} search={search} />
      <div className={styles['filters']}>
        <FilterSelect
          name="status"
          label={t.status}
          value={search.status}
          options={MESSAGE_STATUSES.map((value) => ({ value, label: t.statuses[value] }))}
        />
        <FilterSelect
          name="direction"
          label={t.direction}
          value={search.direction}
          options={(['outbound', 'inbound'] as const).map((value) => ({ value, label: t.directions[value] }))}
        />
        <FilterSelect
          name="type"
          label={t.type}
          value={search.type}
          options={MESSAGE_TYPES.map((value) => ({ value, label: t.types[value] }))}
        />
        <FilterSelect
          name="instance"
          label={t.number}
          value={search.instance}
          options={numbers.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Link to="/w/$workspace/scheduled" params={{ workspace }}>
          {t.scheduled.link}
        </Link>
        <FilterTime name="before" label={t.before} value={search.before} />
      </div>
      <Panel title={t.title} isTitleUnseen isFlush>
        <Loaded query={query}>
          {({ data, prevCursor, nextCursor }) => (
            <>
              {data.length === 0 && nextCursor === null && (
                <None workspace={workspace} isFiltered={isFiltered || cursor !== undefined} />
              )}
              {data.length > 0 && (
                <MessageTable workspace={workspace} rows={data} isStale={query.isPlaceholderData} />
              )}
              <Pager prevCursor={prevCursor} nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

function None({
  workspace,
  isFiltered,
}: {
  readonly workspace: string;
  readonly isFiltered: boolean;
}): ReactNode {
  const t = useTexts('messages');
  const common = useTexts('common');
  if (!isFiltered)
    return (
      <EmptyState icon="message" title={t.empty}>
        {t.emptyHint}
      </EmptyState>
    );
  const clear = (
    <Link to="/w/$workspace/messages" params={{ workspace }}>
      {common.clearFilters}
    </Link>
  );
  return <EmptyState icon="search" title={t.noneMatch} action={clear} />;
}

function MessageTable({
  workspace,
  rows,
  isStale,
}: {
  readonly workspace: string;
  readonly rows: readonly MessageResource[];
  readonly isStale: boolean;
}): ReactNode {
  const t = useTexts('messages');
  const names = namesByNumber(rows);
  return (
    <Table
      caption={t.caption}
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
              {nameOf(message, names) ?? (message.group_id === null ? t.unknownCounterpart : t.group)}
            </Link>
          ),
        },
        {
          key: 'content',
          title: t.content,
          cell: (message) => <Excerpt message={message} />,
        },
        {
          key: 'status',
          title: t.status,
          cell: ({ status }) => <StatusBadge tone={MESSAGE_TONES[status]}>{t.statuses[status]}</StatusBadge>,
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

function nameOf(message: MessageResource, names: ReadonlyMap<string, string>): string | null {
  const { direction, to } = message;
  return (direction === 'outbound' && to !== null && names.get(to)) || counterpartName(message);
}

/** On one line. */
export function Excerpt({ message }: { readonly message: MessageResource }): ReactNode {
  const t = useTexts('messages');
  const { text, caption, media, deleted_at, type, group_id, direction } = message;
  const words = text || caption || media?.filename;
  const kinds = [type !== 'text' && t.types[type], group_id !== null && t.inGroup].filter(Boolean);
  return (
    <span className={styles['excerpt']}>
      <span className={styles['quiet']}>
        <span aria-hidden="true">{direction === 'inbound' ? '←' : '→'}</span>
        <span className="unseen">{t.directions[direction]}</span> {kinds.join(' · ')}
        {kinds.length > 0 && (words || deleted_at !== null) && ' · '}
      </span>
      {deleted_at !== null ? t.deletedText : words ? <bdi>{words}</bdi> : kinds.length === 0 && t.noText}
    </span>
  );
}
