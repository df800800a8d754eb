import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';

interface BlockContactProps {
  readonly workspaceId: string;
  readonly contactId: string;
  /** The name of the contact. */
  readonly name: string;
}

/** Buttons for both, because only the phone knows who is blocked. */
export function BlockContact({ workspaceId, contactId, name }: BlockContactProps): ReactNode {
  const t = useTexts('chats');
  const { say } = useToasts();
  const [isAsked, setAsked] = useState(false);
  const { contacts } = clientOf(workspaceId);
  const unblock = useMutation({
    networkMode: 'always',
    mutationFn: async () => unwrap(await contacts.unblock(contactId)),
    onSuccess: () => say(t.unblocked),
  });
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t.block}</Button>
      <Button isBusy={unblock.isPending} onClick={() => unblock.mutate()}>
        {t.unblock}
      </Button>
      {unblock.isError && <ErrorView error={unblock.error} />}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t.blockTitle(name)}
        verb={t.block}
        act={async () => unwrap(await contacts.block(contactId))}
        onDone={() => say(t.blocked)}
      >
        {t.blockHint}
      </Confirm>
    </>
  );
}
