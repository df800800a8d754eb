import { Link } from '@tanstack/react-router';
import type { ChatResource } from '@trunkline/http/client';
import { memo } from 'react';
import type { ReactNode } from 'react';
import { Avatar } from '../../components/avatar.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './chat-list.module.css';
import { Icon } from './icon.tsx';
import { chatName, isChatWith } from './names.ts';
import { ShortTime } from './short-time.tsx';
import type { Stretch } from './stretch.ts';
import { useReadMore } from './stretch-query.ts';
import type { LongList } from './stretch-query.ts';
import { Ticks } from './ticks.tsx';
import { unreadOf } from './unread.ts';
import { useReadingPosition } from './use-reading-position.ts';

interface ChatListProps {
  readonly workspace: string;
  readonly instance: string;
  readonly find: string | undefined;
  /** Whose chat is open; null for none. */
  readonly counterpart: string | null;
  readonly unread: ReadonlyMap<string, number>;
  readonly list: LongList<ChatResource>;
  readonly stretch: Stretch<ChatResource>;
}

/** The chat with the newest message is on top. Only some hundred chats are on the page at a time. */
export function ChatList(props: ChatListProps): ReactNode {
  const t = useTexts('chats');
  const { instance, find, counterpart, unread, list, stretch } = props;
  const more = useReadMore(list);
  const position = useReadingPosition({
    edge: 'top',
    newest: stretch.newest,
    isAttached: stretch.newer === null,
    kept: `${instance} ${find ?? ''}`,
    onNearOlder: () => more.older(stretch.older),
    onNearNewer: () => more.newer(stretch.newer),
  });
  const isOld = stretch.newer !== null || (!position.isAtEnd && stretch.newest > position.seen);
  return (
    <div className={styles['frame']}>
      <div ref={position.area} className={styles['area']}>
        <div ref={position.list}>
          <nav aria-label={t.caption}>
            <ul>
              {stretch.rows.map((chat) => (
                <Row
                  key={chat.counterpart || chat.last_message.id}
                  workspace={props.workspace}
                  find={find}
                  chat={chat}
                  isOpen={counterpart !== null && isChatWith(chat, counterpart)}
                  unread={unreadOf(chat, unread)}
                />
              ))}
            </ul>
          </nav>
          {more.error !== null && (
            <ErrorView error={more.error} onRetry={more.retry} isRetrying={more.isReading} />
          )}
        </div>
      </div>
      {isOld && (
        <Button className={styles['up']} onClick={() => void more.toNewest().then(position.toEnd)}>
          <span aria-hidden="true">↑</span> {t.toNewestChat}
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly workspace: string;
  readonly find: string | undefined;
  readonly chat: ChatResource;
  readonly isOpen: boolean;
  readonly unread: number;
}

const Row = memo(function Row({ workspace, find, chat, isOpen, unread }: RowProps): ReactNode {
  const t = useTexts('chats');
  const { counterpart, group_id, instance_id, last_message } = chat;
  const isGroup = group_id !== null;
  const name = chatName(chat) ?? (isGroup ? t.group : t.unknownCounterpart);
  const content = (
    <>
      <Avatar id={chat.contact?.id ?? counterpart ?? name} name={name} size="large" />
      <span className={styles['text']}>
        <span className={styles['line']}>
          <bdi className={styles['name']}>{name}</bdi>
          {isGroup && (
            <span className={styles['quiet']}>
              <Icon name="group" />
              <span className="unseen">{t.group}</span>
            </span>
          )}
          <span className={styles['when']}>
            <ShortTime at={last_message.created_at} as="day" />
          </span>
        </span>
        <span className={styles['line']}>
          <Excerpt chat={chat} />
          {unread > 0 && (
            <span className={styles['unread']} title={t.unreadMeaning}>
              {unread}
              <span className="unseen"> {t.unread(unread)}</span>
            </span>
          )}
        </span>
      </span>
    </>
  );
  return (
    <li data-row={counterpart || last_message.id}>
      {counterpart === '' ? (
        <Link
          to="/w/$workspace/messages/$message"
          params={{ workspace, message: last_message.id }}
          className={styles['row']}
          data-chat=""
        >
          {content}
        </Link>
      ) : (
        <Link
          to="/w/$workspace/chats/$counterpart"
          params={{ workspace, counterpart }}
          search={{ instance: instance_id, ...(find !== undefined && { find }) }}
          activeProps={{}}
          aria-current={isOpen ? 'page' : undefined}
          className={styles['row']}
          data-chat=""
        >
          {content}
        </Link>
      )}
    </li>
  );
});

/** On one line. */
function Excerpt({ chat }: { readonly chat: ChatResource }): ReactNode {
  const { directions, types, noText } = useTexts('messages');
  const { direction, type, status, excerpt } = chat.last_message;
  return (
    <span className={styles['excerpt']}>
      <span className="unseen">{directions[direction]} </span>
      {direction === 'outbound' && <Ticks status={status} />}
      <bdi className={styles['words']}>
        {type !== 'text' && `${types[type]}${excerpt === null ? '' : ' · '}`}
        {excerpt ?? (type === 'text' ? noText : '')}
      </bdi>
    </span>
  );
}
