import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { Warning } from '../../components/warning.tsx';
import { SUBSCRIBABLE_TYPES } from '../../domain/event-types.ts';
import { useLiveState } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { EventRow } from './event-row.tsx';
import styles from './events-page.module.css';
import { pastQuery } from './queries.ts';
import { shownEvent } from './shown-event.ts';
import type { ShownEvent } from './shown-event.ts';
import { EVENTS_MAX, useEvents } from './use-events.ts';

const route = getRouteApi('/session/w/$workspace/events');

export function EventsPage(): ReactNode {
  const { workspace } = route.useParams();
  const t = useTexts('events');
  const { notAllowed } = useTexts('common');
  const mayReadMessages = useMay('messages:read');
  const mayReadNumbers = useMay('instances:read');
  const numbers = useQuery({
    ...numbersQuery(workspace),
    enabled: mayReadMessages && mayReadNumbers,
  });
  return (
    <Page title={t.title}>
      {mayReadMessages && mayReadNumbers ? (
        <Loaded query={numbers}>
          {(found) => <Events key={workspace} workspace={workspace} numbers={found} />}
        </Loaded>
      ) : (
        <EmptyState icon="event" title={notAllowed} />
      )}
    </Page>
  );
}

function Events({
  workspace,
  numbers,
}: {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
}): ReactNode {
  const t = useTexts('events');
  const search = route.useSearch();
  const live = useLiveState();
  const past = useQuery(pastQuery(workspace, search));
  const { events, waiting, setPaused } = useEvents();
  const isPaused = waiting !== null;
  const { type, instance } = search;
  const matching = events.filter(
    (event) =>
      event.kind === 'gap' ||
      ((type === undefined || event.type === type) &&
        (instance === undefined || event.instanceId === instance)),
  );
  const rows = withPast(
    matching,
    (past.data ?? []).map((event) => shownEvent(event.id, event.type, event)),
  );
  return (
    <Panel title={t.listTitle} isTitleUnseen isFlush>
      <div className={styles['tools']}>
        <FilterSelect
          name="type"
          label={t.type}
          value={type}
          options={SUBSCRIBABLE_TYPES.map((value) => ({ value, label: value }))}
        />
        <FilterSelect
          name="instance"
          label={t.number}
          value={instance}
          options={numbers.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? t.resume : t.pause}
        </Button>
        <p role="status">{isPaused && t.pausedWith(waiting)}</p>
      </div>
      {live !== 'live' && <Warning>{t.notLive[live]}</Warning>}
      {past.error !== null && <ErrorView error={past.error} onRetry={past.refetch} />}
      {rows.length === 0 ? (
        <None workspace={workspace} isFiltered={type !== undefined || instance !== undefined} />
      ) : (
        <ol className={styles['events']}>
          {rows.map((event) =>
            event.kind === 'gap' ? (
              <li key={event.id} className={styles['gap']}>
                {t.gap}
              </li>
            ) : (
              <li key={event.id}>
                <EventRow
                  workspaceId={workspace}
                  event={event}
                  number={numbers.find(({ id }) => id === event.instanceId)?.name ?? null}
                />
              </li>
            ),
          )}
        </ol>
      )}
    </Panel>
  );
}

/** Past events follow those of the stream, which has some of them as well. A gap says nothing without events below it. */
function withPast(events: readonly ShownEvent[], past: readonly ShownEvent[]): readonly ShownEvent[] {
  const known = new Set(events.map(({ id }) => id));
  const all = [...events, ...past.filter(({ id }) => !known.has(id))];
  const last = all.findLastIndex(({ kind }) => kind === 'event');
  return all.slice(0, Math.min(last + 1, EVENTS_MAX));
}

function None({
  workspace,
  isFiltered,
}: {
  readonly workspace: string;
  readonly isFiltered: boolean;
}): ReactNode {
  const t = useTexts('events');
  const { clearFilters } = useTexts('common');
  if (!isFiltered) {
    return (
      <EmptyState icon="event" title={t.waiting}>
        {t.fromNow}
      </EmptyState>
    );
  }
  const clear = (
    <Link to="/w/$workspace/events" params={{ workspace }}>
      {clearFilters}
    </Link>
  );
  return <EmptyState icon="event" title={t.noneMatch} action={clear} />;
}
