import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { useEffect, useMemo, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { callsIn, reactionsIn } from './activity.ts';
import { CallLine } from './call-line.tsx';
import { Icon } from './icon.tsx';
import { activity } from './queries.ts';
import type { ChatAddress } from './queries.ts';
import type { Stretch } from './stretch.ts';
import { stretchQuery, useReadMore } from './stretch-query.ts';
import type { LongList } from './stretch-query.ts';
import { itemsOf } from './thread-items.ts';
import { ThreadMessage } from './thread-message.tsx';
import styles from './thread-view.module.css';
import type { Counterpart } from './use-counterpart.ts';
import { useReadingPosition } from './use-reading-position.ts';

interface ThreadViewProps {
  readonly address: ChatAddress;
  readonly list: LongList<MessageResource>;
  readonly stretch: Stretch<MessageResource>;
  readonly person: Counterpart;
  /** Null if the session may not send. */
  readonly onReply: ((message: MessageResource) => void) | null;
  /** The capabilities of the number; none if the session may not send. */
  readonly actions: InstanceResource['capabilities'];
}

/**
 * The newest message is at the bottom. New messages do not move the view unless the user is at the bottom. Only some
 * hundred messages are on the page at a time.
 */
export function ThreadView({ address, list, stretch, person, onReply, actions }: ThreadViewProps): ReactNode {
  const t = useTexts('chats');
  const { locale } = useLanguage();
  const more = useReadMore(list);
  const {
    area,
    list: content,
    isAtEnd,
    seen,
    toEnd,
    toRow,
  } = useReadingPosition({
    edge: 'bottom',
    newest: stretch.newest,
    isAttached: stretch.newer === null,
    onNearOlder: () => more.older(stretch.older),
    onNearNewer: () => more.newer(stretch.newer),
  });
  const [marked, mark] = useState<string | null>(null);
  const [active, setActive] = useState<string | null>(null);
  useShortened(list, isAtEnd ? stretch : null);
  const events = useActivity(address, stretch);
  const reactions = useMemo(() => reactionsIn(events), [events]);
  const { counterpart } = address;
  const calls = useMemo(
    () => callsIn(events, { counterpart, people: person.known }),
    [events, counterpart, person.known],
  );
  const items = useMemo(() => itemsOf(stretch, { calls, locale }), [stretch, calls, locale]);
  const byId = useMemo(() => new Map(stretch.rows.map((message) => [message.id, message])), [stretch]);
  const below = isAtEnd
    ? 0
    : stretch.rows.filter(({ id, direction }) => id > seen && direction === 'inbound').length;
  const reachable = active ?? stretch.rows[0]?.id;
  return (
    <div className={styles['frame']}>
      {/* Focusable, so that the arrow keys can scroll it. */}
      <div
        ref={area}
        role="log"
        aria-label={t.threadLabel(person.name)}
        tabIndex={0}
        className={styles['area']}
      >
        <div ref={content} className={styles['list']}>
          {more.error !== null && (
            <ErrorView error={more.error} onRetry={more.retry} isRetrying={more.isReading} />
          )}
          {stretch.older !== null && <p className={styles['note']}>{t.older}</p>}
          {stretch.rows.length === 0 && <p className={styles['note']}>{t.noMessages}</p>}
          {stretch.rows.length > 0 && stretch.older === null && (
            <p className={styles['note']}>{t.beginning}</p>
          )}
          <ol className={styles['messages']} onKeyDown={moveBetweenMessages}>
            {items.map((item) => (
              <li key={item.id} data-row={item.id} className={styles[item.isFirst ? 'first' : 'item']}>
                {item.day !== null && <p className={styles['day']}>{item.day}</p>}
                {'call' in item ? (
                  <CallLine call={item.call} person={person} />
                ) : (
                  <ThreadMessage
                    workspaceId={address.workspaceId}
                    message={item.message}
                    person={person}
                    isFirst={item.isFirst}
                    quoted={item.message.reply_to === null ? null : (byId.get(item.message.reply_to) ?? null)}
                    reactions={reactions.get(item.id)}
                    isMarked={marked === item.id}
                    isActive={active === item.id}
                    isReachable={reachable === item.id}
                    onActive={setActive}
                    onReply={onReply}
                    actions={actions}
                    onQuoted={(id) => {
                      toRow(id);
                      mark(id);
                    }}
                  />
                )}
              </li>
            ))}
          </ol>
        </div>
      </div>
      {(!isAtEnd || stretch.newer !== null) && (
        <Button className={styles['down']} onClick={() => void more.toNewest().then(toEnd)}>
          <Icon name="down" />
          {below > 0 ? t.newBelow(below) : t.toNewest}
        </Button>
      )}
    </div>
  );
}

/** Drops old messages while the user is at the bottom, so that a chat that stays open does not grow. */
function useShortened(list: LongList<MessageResource>, stretch: Stretch<MessageResource> | null): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (stretch === null) return;
    const cut = list.stretches.cut(stretch);
    if (cut !== stretch) queries.setQueryData(list.queryKey, cut);
  }, [list, stretch, queries]);
}

/** The newest reactions and calls of the number, back to the oldest shown message or a few hundred of them. */
function useActivity({ workspaceId, instanceId }: ChatAddress, { rows }: Stretch<MessageResource>) {
  const may = useMay('instances:read');
  const list = useMemo(() => activity(workspaceId, instanceId), [workspaceId, instanceId]);
  const query = useQuery({
    ...stretchQuery(list),
    enabled: may,
    refetchInterval: useRefreshMs(10_000),
  });
  const events = query.data;
  const { older } = useReadMore(list);
  const oldestEvent = events?.rows.at(-1)?.created_at;
  const oldestMessage = rows.at(-1)?.created_at;
  const isShort =
    events !== undefined &&
    oldestEvent !== undefined &&
    oldestMessage !== undefined &&
    Date.parse(oldestEvent) > Date.parse(oldestMessage);
  const isMissing = isShort && events.older !== null && events.rows.length < EVENTS_MAX;
  useEffect(() => {
    if (isMissing) older(events.older);
  });
  return events?.rows ?? NO_EVENTS;
}

/** Less than a stretch may have, so that the newest are not cut off. */
const EVENTS_MAX = 200;
const NO_EVENTS = [] as const;

/** The arrow keys move between messages, which then show their actions. */
function moveBetweenMessages(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  const step = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0;
  if (step === 0 || !(target instanceof HTMLElement) || !target.matches('article')) return;
  const all = [...currentTarget.querySelectorAll('article')];
  const next = all[all.findIndex((each) => each === target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
