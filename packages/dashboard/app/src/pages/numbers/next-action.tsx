import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { unwrap } from '@trunkline/http/client';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { isTrouble } from '../../domain/number-status.ts';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';

interface NextActionProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
}

/** The next action for a number in the list: a new code for an unlinked one, the reason of any other trouble. */
export function NextAction({ workspaceId, number }: NextActionProps): ReactNode {
  const t = useTexts('numbers');
  const mayChange = useMay('instances:write');
  if (number.status === 'logged_out' && mayChange)
    return <LinkAgain workspaceId={workspaceId} number={number} />;
  if (!isTrouble(number) || number.status === 'connecting') return null;
  return (
    <Link
      to="/w/$workspace/numbers/$instance"
      params={{ workspace: workspaceId, instance: number.id }}
      aria-label={`${t.why} ${number.name}`}
    >
      {t.why}
    </Link>
  );
}

/** Asks for a new code, and opens the number's page, which shows it. */
function LinkAgain({ workspaceId, number: { id, name } }: NextActionProps): ReactNode {
  const t = useTexts('numbers');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const connect = useMutation({
    mutationFn: async () => unwrap(await clientOf(workspaceId).instances.connect(id)),
    onSuccess: () =>
      navigate({ to: '/w/$workspace/numbers/$instance', params: { workspace: workspaceId, instance: id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') }),
  });
  return (
    <>
      <Button
        icon="connect"
        aria-label={`${t.linkAgain} ${name}`}
        isBusy={connect.isPending}
        onClick={() => connect.mutate()}
      >
        {t.linkAgain}
      </Button>
      {connect.error !== null && <ErrorView error={connect.error} />}
    </>
  );
}
