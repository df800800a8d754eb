import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useEffect, useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './edit-form.module.css';

interface EditFormProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  onClose(): void;
}

/** Whether a message has a text or a file, whose caption may be empty. */
export function hasWords({ type, kind }: MessageResource): boolean {
  return type === 'text' ? kind === 'text' : kind !== 'sticker';
}

/** A form with the text or caption, in place of it. The edit is queued as a message is. Escape closes the form. */
export function EditForm({ workspaceId, message, onClose }: EditFormProps): ReactNode {
  const t = useTexts('chats');
  const { cancel } = useTexts('common');
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const queries = useQueryClient();
  const { say } = useToasts();
  const [words, setWords] = useState(message.text ?? message.caption ?? '');
  useEffect(() => field.current?.focus(), []);
  const mutation = useMutation({
    networkMode: 'always',
    mutationFn: async (text: string) => {
      const input = message.type === 'text' ? { text } : { caption: text };
      return unwrap(await clientOf(workspaceId).messages.edit(message.id, input)).data;
    },
    onSuccess: ({ status }) => {
      onClose();
      say(status === 'queued' ? t.editQueued : t.editDone);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'chats') });
    },
  });
  return (
    <form
      className={styles['edit']}
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(words);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      <label htmlFor={id} className="unseen">
        {t.newWords}
      </label>
      <textarea
        ref={field}
        id={id}
        dir="auto"
        rows={3}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <span className={styles['buttons']}>
        <Button type="submit" kind="primary" isBusy={mutation.isPending}>
          {t.saveEdit}
        </Button>
        <Button onClick={onClose}>{cancel}</Button>
      </span>
      {mutation.isError && <ErrorView error={mutation.error} />}
    </form>
  );
}
