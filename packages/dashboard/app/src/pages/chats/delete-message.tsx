import { useQueryClient } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Icon } from './icon.tsx';

interface DeleteMessageProps {
  readonly workspaceId: string;
  readonly message: MessageResource;
  /** The beginning of the message, for the label. */
  readonly excerpt: string;
}

/** A button that asks, and then queues that the message is deleted for everyone. */
export function DeleteMessage({ workspaceId, message, excerpt }: DeleteMessageProps): ReactNode {
  const t = useTexts('chats');
  const queries = useQueryClient();
  const { say } = useToasts();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button kind="bare" aria-label={t.deleteOf(excerpt)} title={t.delete} onClick={() => setAsked(true)}>
        <Icon name="delete" />
      </Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t.deleteTitle}
        verb={t.deleteForEveryone}
        act={async () => unwrap(await clientOf(workspaceId).messages.deleteForEveryone(message.id))}
        onDone={() => {
          say(t.deletionQueued);
          void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'chats') });
        }}
      >
        {t.deleteHint}
      </Confirm>
    </>
  );
}
