import { useMutation } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './thread-message.module.css';

/** The reactions that phones offer first. */
const EMOJIS = ['👍', '❤️', '😂', '😮', '😢', '🙏'] as const;

interface ReactChoiceProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  /** The beginning of the message, for the label. */
  readonly excerpt: string;
}

/** A button that opens a choice of reactions. Each is queued as a message is. */
export function ReactChoice({ workspaceId, message, excerpt }: ReactChoiceProps): ReactNode {
  const t = useTexts('chats');
  const { say } = useToasts();
  const [isOpen, setOpen] = useState(false);
  const mutation = useMutation({
    networkMode: 'always',
    mutationFn: async (emoji: string | null) => {
      const { messages } = clientOf(workspaceId);
      const { id } = message;
      return unwrap(await (emoji === null ? messages.removeReaction(id) : messages.react(id, { emoji })));
    },
    onSuccess: (_, emoji) => {
      setOpen(false);
      say(emoji === null ? t.reactionRemoved : t.reacted(emoji));
    },
  });
  return (
    <>
      <Button
        kind="bare"
        className={styles['reply']}
        aria-label={t.reactTo(excerpt)}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t.react}
      </Button>
      {isOpen && (
        <div role="group" aria-label={t.reactions(excerpt)} className={styles['reactions']}>
          {EMOJIS.map((emoji) => (
            <Button
              key={emoji}
              kind="bare"
              aria-label={t.reactWith(emoji)}
              isBusy={mutation.isPending}
              onClick={() => mutation.mutate(emoji)}
            >
              {emoji}
            </Button>
          ))}
          <Button kind="bare" isBusy={mutation.isPending} onClick={() => mutation.mutate(null)}>
            {t.removeReaction}
          </Button>
          {mutation.isError && <ErrorView error={mutation.error} />}
        </div>
      )}
    </>
  );
}
