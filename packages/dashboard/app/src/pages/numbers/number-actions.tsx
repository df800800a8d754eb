import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '@trunkline/http/client';
import type { InstanceResource, NetworkResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ChangePace } from './change-pace.tsx';
import { ChangeCredentials } from './credentials.tsx';
import { Rename } from './rename.tsx';

type Asked = 'disconnect' | 'logout' | 'remove' | 'rename' | 'pace' | 'credentials';

/** The actions that the number's status allows. Destructive ones ask for confirmation. */
export function NumberActions({
  workspaceId,
  number,
  credentials,
}: {
  readonly workspaceId: string;
  readonly number: InstanceResource;
  /** The values that the number can have as credentials. */
  readonly credentials: NetworkResource['credentials'];
}): ReactNode {
  const t = useTexts('numbers');
  const { say } = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { id, name, status, paired } = number;
  const { instances } = clientOf(workspaceId);
  const refresh = (): unknown => queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') });
  const connect = useMutation({
    mutationFn: async () => unwrap(await instances.connect(id)),
    onSuccess: () => say(t.done.connect),
    onSettled: refresh,
  });
  const close = (): void => setAsked(null);
  const done = (action: 'disconnect' | 'logout' | 'remove') => (): void => {
    say(t.done[action]);
    if (action === 'remove')
      void navigate({ to: '/w/$workspace/numbers', params: { workspace: workspaceId } });
    void refresh();
  };
  const isStopped =
    status === 'created' || status === 'disconnected' || status === 'logged_out' || status === 'error';
  return (
    <>
      {isStopped && (
        <Button kind="primary" icon="connect" isBusy={connect.isPending} onClick={() => connect.mutate()}>
          {paired ? t.connect : t.connectAgain}
        </Button>
      )}
      {!isStopped && (
        <Button icon="power" onClick={() => setAsked('disconnect')}>
          {t.disconnect}
        </Button>
      )}
      {paired && (
        <Button icon="unlink" onClick={() => setAsked('logout')}>
          {t.logout}
        </Button>
      )}
      <Button icon="edit" onClick={() => setAsked('rename')}>
        {t.rename}
      </Button>
      <Button onClick={() => setAsked('pace')}>{t.pace}</Button>
      {credentials.length > 0 && <Button onClick={() => setAsked('credentials')}>{t.credentials}</Button>}
      <Button kind="risky" icon="remove" onClick={() => setAsked('remove')}>
        {t.remove}
      </Button>
      {connect.error !== null && <ErrorView error={connect.error} onRetry={() => connect.mutate()} />}
      <Confirm
        isOpen={asked === 'disconnect'}
        onClose={close}
        title={t.disconnectTitle(name)}
        verb={t.disconnect}
        act={async () => unwrap(await instances.disconnect(id))}
        onDone={done('disconnect')}
      >
        {t.disconnectText}
      </Confirm>
      <Confirm
        isOpen={asked === 'logout'}
        onClose={close}
        title={t.logoutTitle(name)}
        verb={t.logout}
        act={async () => unwrap(await instances.logout(id))}
        onDone={done('logout')}
      >
        {t.logoutText}
      </Confirm>
      <Confirm
        isOpen={asked === 'remove'}
        onClose={close}
        title={t.removeTitle(name)}
        verb={t.remove}
        typed={name}
        act={async () => unwrap(await instances.delete(id))}
        onDone={done('remove')}
      >
        {t.removeText}
      </Confirm>
      <Rename workspaceId={workspaceId} number={number} isOpen={asked === 'rename'} onClose={close} />
      <ChangeCredentials
        workspaceId={workspaceId}
        instanceId={id}
        fields={credentials}
        isOpen={asked === 'credentials'}
        onClose={close}
      />
      <ChangePace workspaceId={workspaceId} number={number} isOpen={asked === 'pace'} onClose={close} />
    </>
  );
}
