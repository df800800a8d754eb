import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { adminPathOf } from '../../api/admin.ts';
import { request } from '../../api/request.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { RenameForm } from './rename-form.tsx';

export function WorkspaceActions({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const t = useTexts('workspaces');
  const isAdmin = useIsAdmin();
  return (
    <>
      <Link
        to="/w/$workspace"
        params={{ workspace: workspace.id }}
        className={buttonClass('primary')}
        aria-label={t.openOne(workspace.name)}
      >
        {t.open}
      </Link>
      {isAdmin && <AdminActions workspace={workspace} />}
    </>
  );
}

function AdminActions({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const t = useTexts('workspaces');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'rename' | 'suspend' | null>(null);
  const { id, name, suspended_at } = workspace;
  const close = (): void => setAsked(null);
  const refresh = (): unknown => queries.invalidateQueries({ queryKey: ['workspaces'] });
  const resume = useMutation({
    mutationFn: () => request(adminPathOf(id, 'resume'), { method: 'POST' }),
    onSuccess: () => say(t.done.resume),
    onSettled: refresh,
  });
  return (
    <>
      <Button icon="edit" onClick={() => setAsked('rename')}>
        {t.rename}
      </Button>
      {suspended_at === null ? (
        <Button kind="risky" icon="power" onClick={() => setAsked('suspend')}>
          {t.suspend}
        </Button>
      ) : (
        <Button isBusy={resume.isPending} onClick={() => resume.mutate()}>
          {t.resume}
        </Button>
      )}
      {resume.error !== null && <ErrorView error={resume.error} onRetry={() => resume.mutate()} />}
      <Dialog isOpen={asked === 'rename'} onClose={close} title={t.rename}>
        <RenameForm workspace={workspace} onClose={close} />
      </Dialog>
      <Confirm
        isOpen={asked === 'suspend'}
        onClose={close}
        title={t.suspendTitle(name)}
        verb={t.suspend}
        act={() => request(adminPathOf(id, 'suspend'), { method: 'POST' })}
        onDone={() => {
          say(t.done.suspend);
          void refresh();
        }}
      >
        {t.suspendText}
      </Confirm>
    </>
  );
}
