import { useMutation } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/class-names.ts';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Icon } from './icon.tsx';
import styles from './react-choice.module.css';

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
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const mutation = useMutation({
    networkMode: 'always',
    mutationFn: async (emoji: string | null) => {
      const { messages } = clientOf(workspaceId);
      const { id } = message;
      return unwrap(await (emoji === null ? messages.removeReaction(id) : messages.react(id, { emoji })));
    },
    onSuccess: (_, emoji) => {
      close();
      say(emoji === null ? t.reactionRemoved : t.reacted(emoji));
    },
  });
  return (
    <>
      <Button
        ref={button}
        kind="bare"
        aria-label={t.reactTo(excerpt)}
        title={t.react}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="react" />
      </Button>
      {isOpen && (
        <div
          role="group"
          aria-label={t.reactions(excerpt)}
          className={classes(styles['choice'], message.direction === 'outbound' && styles['own'])}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            close();
          }}
        >
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
          <Button
            kind="bare"
            aria-label={t.removeReaction}
            title={t.removeReaction}
            isBusy={mutation.isPending}
            onClick={() => mutation.mutate(null)}
          >
            <Icon name="close" />
          </Button>
          {mutation.isError && <ErrorView error={mutation.error} />}
        </div>
      )}
    </>
  );
}
