import { useQueryClient } from '@tanstack/react-query';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { dayOf } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { readOlder, threadQuery } from './queries.ts';
import type { ChatAddress } from './queries.ts';
import { cutThread, GROWN_MAX } from './thread.ts';
import type { Thread } from './thread.ts';
import { ThreadMessage } from './thread-message.tsx';
import styles from './thread-view.module.css';
import { useReadingPosition } from './use-reading-position.ts';

interface ThreadViewProps {
  readonly address: ChatAddress;
  readonly name: string;
  readonly thread: Thread;
  /** Null if the session may not send. */
  readonly onReply: ((message: MessageResource) => void) | null;
  /** The capabilities of the number; none if the session may not send. */
  readonly actions: InstanceResource['capabilities'];
}

/** The newest message is at the bottom. New messages do not move the view unless the user is at the bottom. */
export function ThreadView({ address, name, thread, onReply, actions }: ThreadViewProps): ReactNode {
  const t = useTexts('chats');
  const { locale } = useLanguage();
  const messages = thread.messages.toReversed();
  const newest = messages.at(-1)?.id ?? '';
  const { area, list, isAtEnd, seen, toEnd, toMessage } = useReadingPosition(newest);
  const [marked, mark] = useState<string | null>(null);
  const queries = useQueryClient();
  const isLong = isAtEnd && messages.length > GROWN_MAX;
  useEffect(() => {
    // Old messages are dropped only while the user is at the bottom.
    if (!isLong) return;
    queries.setQueryData(threadQuery(address).queryKey, (known) => {
      const cut = known && cutThread(known);
      return cut === known ? undefined : cut;
    });
  }, [isLong, queries, address]);
  const below = isAtEnd
    ? 0
    : messages.filter(({ id, direction }) => id > seen && direction === 'inbound').length;
  const days = messages.map(({ created_at }) => dayOf(created_at, locale));
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (
    <div className={styles['frame']}>
      {/* Focusable, so that the arrow keys can scroll it. */}
      <div ref={area} role="log" aria-label={t.threadLabel(name)} tabIndex={0} className={styles['area']}>
        <div ref={list} className={styles['list']}>
          <Older
            address={address}
            hasOlder={thread.olderCursor !== null}
            onNoMore={() => area.current?.focus({ preventScroll: true })}
          />
          {messages.length === 0 && <p className={styles['note']}>{t.noMessages}</p>}
          {messages.length > 0 && thread.olderCursor === null && (
            <p className={styles['note']}>{t.beginning}</p>
          )}
          <ol className={styles['messages']}>
            {messages.map((message, index) => (
              <li key={message.id} className={styles['item']}>
                {days[index] !== days[index - 1] && <p className={styles['day']}>{days[index]}</p>}
                <ThreadMessage
                  workspaceId={address.workspaceId}
                  message={message}
                  quoted={message.reply_to === null ? null : (byId.get(message.reply_to) ?? null)}
                  isMarked={marked === message.id}
                  onReply={onReply}
                  actions={actions}
                  onQuoted={(id) => {
                    toMessage(id);
                    mark(id);
                  }}
                />
              </li>
            ))}
          </ol>
        </div>
      </div>
      {!isAtEnd && (
        <Button className={styles['down']} onClick={toEnd}>
          <span aria-hidden="true">↓</span>
          {below > 0 ? t.newBelow(below) : t.toNewest}
        </Button>
      )}
    </div>
  );
}

function Older({
  address,
  hasOlder,
  onNoMore,
}: {
  readonly address: ChatAddress;
  readonly hasOlder: boolean;
  onNoMore(): void;
}): ReactNode {
  const t = useTexts('chats');
  const queries = useQueryClient();
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isBusy = useRef(false);
  const read = async (): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setReading(true);
    try {
      const isEnd = await readOlder(queries, address);
      setError(null);
      // The button disappears, so the focus must move elsewhere.
      if (isEnd) onNoMore();
    } catch (thrown) {
      setError(thrown);
    } finally {
      isBusy.current = false;
      setReading(false);
    }
  };
  if (error !== null) return <ErrorView error={error} onRetry={read} isRetrying={isReading} />;
  if (!hasOlder) return null;
  return (
    <Button className={styles['older']} isBusy={isReading} onClick={() => void read()}>
      {t.older}
    </Button>
  );
}
