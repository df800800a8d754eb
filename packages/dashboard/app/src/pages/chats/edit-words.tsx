import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './thread-message.module.css';

interface EditWordsProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  /** The beginning of the message, for the label. */
  readonly excerpt: string;
}

/** Whether a message has a text or a file, whose caption may be empty. */
export function hasWords({ type, kind }: MessageResource): boolean {
  return type === 'text' ? kind === 'text' : kind !== 'sticker';
}

/** A button that opens a form with the text or caption. The edit is queued as a message is. */
export function EditWords({ workspaceId, message, excerpt }: EditWordsProps): ReactNode {
  const t = useTexts('chats');
  const id = useId();
  const queries = useQueryClient();
  const { say } = useToasts();
  const [words, setWords] = useState<string | null>(null);
  const mutation = useMutation({
    networkMode: 'always',
    mutationFn: async (text: string) => {
      const input = message.type === 'text' ? { text } : { caption: text };
      return unwrap(await clientOf(workspaceId).messages.edit(message.id, input)).data;
    },
    onSuccess: ({ status }) => {
      setWords(null);
      say(status === 'queued' ? t.editQueued : t.editDone);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'chats') });
    },
  });
  const isOpen = words !== null;
  return (
    <>
      <Button
        kind="bare"
        className={styles['reply']}
        aria-label={t.editOf(excerpt)}
        aria-expanded={isOpen}
        onClick={() => setWords(isOpen ? null : (message.text ?? message.caption ?? ''))}
      >
        {t.edit}
      </Button>
      {isOpen && (
        <form
          className={styles['edit']}
          onSubmit={(event) => {
            event.preventDefault();
            mutation.mutate(words);
          }}
        >
          <label htmlFor={id} className="unseen">
            {t.newWords}
          </label>
          <textarea
            id={id}
            dir="auto"
            rows={3}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <Button type="submit" kind="primary" isBusy={mutation.isPending}>
            {t.saveEdit}
          </Button>
          {mutation.isError && <ErrorView error={mutation.error} />}
        </form>
      )}
    </>
  );
}
