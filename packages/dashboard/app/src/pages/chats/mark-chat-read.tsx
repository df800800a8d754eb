import { useMutation } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { keepChoice, keptChoice } from '../../shell/kept-choice.ts';
import { useTexts } from '../../texts/language.tsx';
import { Icon } from './icon.tsx';
import styles from './mark-chat-read.module.css';

const CHOICE = 'mark-read';

interface ChatMarking {
  /** Whether there is a received message that is not marked as read. */
  readonly isUnread: boolean;
  readonly isMarking: boolean;
  readonly error: unknown;
  mark(): void;
  /** Whether chats are marked as read when they are seen. */
  readonly isAutomatic: boolean;
  setAutomatic(isAutomatic: boolean): void;
}

/**
 * Marks a chat as read up to its newest message: on request, or when it is seen if the user has chosen so. The choice
 * is kept for the tab, as the theme is.
 */
export function useChatMarking(
  workspaceId: string,
  { messages, mayMark }: { readonly messages: readonly MessageResource[]; readonly mayMark: boolean },
): ChatMarking {
  const t = useTexts('chats');
  const { say } = useToasts();
  const [isAutomatic, setAutomatic] = useState(keptChoice(CHOICE, ['yes', 'no']) === 'yes');
  const newest = messages.find(({ direction }) => direction === 'inbound');
  const unread = mayMark && newest?.read_at === null ? newest.id : null;
  const { mutate, variables, isPending, isSuccess, error } = useMutation({
    networkMode: 'always',
    mutationFn: async ({ id }: { readonly id: string; readonly isAsked: boolean }) =>
      unwrap(await clientOf(workspaceId).messages.markRead(id)),
    onSuccess(_, { isAsked }) {
      if (isAsked) say(t.markQueued);
    },
  });
  const tried = variables?.id;
  useEffect(() => {
    if (!isAutomatic || unread === null || unread === tried) return;
    const markIfSeen = (): void => {
      if (!document.hidden) mutate({ id: unread, isAsked: false });
    };
    markIfSeen();
    document.addEventListener('visibilitychange', markIfSeen);
    return () => document.removeEventListener('visibilitychange', markIfSeen);
  }, [isAutomatic, unread, tried, mutate]);
  return {
    isUnread: unread !== null && !(isSuccess && tried === unread),
    isMarking: isPending,
    error,
    mark: () => unread !== null && mutate({ id: unread, isAsked: true }),
    isAutomatic,
    setAutomatic(chosen) {
      keepChoice(CHOICE, chosen ? 'yes' : 'no');
      setAutomatic(chosen);
    },
  };
}

export function MarkChatRead({ marking }: { readonly marking: ChatMarking }): ReactNode {
  const t = useTexts('chats');
  if (!marking.isUnread) return null;
  return (
    <Button isBusy={marking.isMarking} aria-label={t.markRead} title={t.markReadHint} onClick={marking.mark}>
      <Icon name="read" />
      <span className={styles['words']}>{t.markRead}</span>
    </Button>
  );
}

export function MarkAlways({ marking }: { readonly marking: ChatMarking }): ReactNode {
  const t = useTexts('chats');
  return (
    <label>
      <input
        type="checkbox"
        checked={marking.isAutomatic}
        onChange={(event) => marking.setAutomatic(event.target.checked)}
      />{' '}
      {t.markAlways}
    </label>
  );
}
