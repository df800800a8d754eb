import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { DeliveryDetailResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { useCopy } from '../../components/copy.ts';
import { ErrorView } from '../../components/error-view.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { bodyOf, curlOf } from './request-text.ts';

export function DeliveryActions({
  workspaceId,
  delivery: { id, status, request },
}: {
  readonly workspaceId: string;
  readonly delivery: DeliveryDetailResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const { say } = useToasts();
  const copy = useCopy();
  const queries = useQueryClient();
  const mayWrite = useMay('webhooks:write');
  const hasEnded = status === 'failed' || status === 'exhausted';
  const retry = useMutation({
    mutationFn: async () => {
      const { deliveries } = clientOf(workspaceId);
      return unwrap(await (hasEnded ? deliveries.retry(id) : deliveries.tryNow(id)));
    },
    onSuccess: () => say(t.done.retry),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'deliveries') }),
  });
  return (
    <>
      {mayWrite && (hasEnded || status === 'retrying') && (
        <Button kind="primary" icon="retry" isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {hasEnded ? t.retry : t.tryNow}
        </Button>
      )}
      {bodyOf(request) !== null && (
        <Button icon="copy" onClick={() => void copy(curlOf(request))}>
          {t.copyCurl}
        </Button>
      )}
      {retry.error !== null && <ErrorView error={retry.error} onRetry={() => retry.mutate()} />}
    </>
  );
}
