import { useMutation } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Icon } from './icon.tsx';

interface MarkReadProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  /** The beginning of the message, for the label. */
  readonly excerpt: string;
}

/** A button that queues that the chat is marked as read up to the message. It is gone afterwards. */
export function MarkRead({ workspaceId, message, excerpt }: MarkReadProps): ReactNode {
  const t = useTexts('chats');
  const { say } = useToasts();
  const mutation = useMutation({
    networkMode: 'always',
    mutationFn: async () => unwrap(await clientOf(workspaceId).messages.markRead(message.id)),
    onSuccess: () => say(t.markQueued),
  });
  if (mutation.isSuccess) return null;
  return (
    <>
      <Button
        kind="bare"
        aria-label={t.markReadUpTo(excerpt)}
        title={t.markRead}
        isBusy={mutation.isPending}
        onClick={() => mutation.mutate()}
      >
        <Icon name="read" />
      </Button>
      {mutation.isError && <ErrorView error={mutation.error} />}
    </>
  );
}
