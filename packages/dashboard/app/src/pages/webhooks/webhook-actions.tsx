import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '@trunkline/http/client';
import type { WebhookResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Field } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { webhookHost, webhookName } from '../../domain/webhook-status.ts';
import { useTexts } from '../../texts/language.tsx';
import { EditWebhook } from './edit-webhook.tsx';

type Asked = 'edit' | 'disable' | 'rotate' | 'remove';

/** Destructive actions ask for confirmation. */
export function WebhookActions({
  workspaceId,
  webhook,
}: {
  readonly workspaceId: string;
  readonly webhook: WebhookResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const { say } = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  /** The seconds until a new secret begins to sign. */
  const [after, setAfter] = useState('0');
  const { id, status } = webhook;
  const name = webhookName(webhook);
  const { webhooks } = clientOf(workspaceId);
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'webhooks') });
    void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'deliveries') });
  };
  const test = useMutation({
    mutationFn: async () => unwrap(await webhooks.test(id)),
    onSuccess: () => say(t.done.test),
    onSettled: refresh,
  });
  const enable = useMutation({
    mutationFn: async () => unwrap(await webhooks.update(id, { status: 'enabled' })),
    onSuccess: () => say(t.done.enable),
    onSettled: refresh,
  });
  const close = (): void => setAsked(null);
  const isEnabled = status === 'enabled';
  return (
    <>
      {isEnabled ? (
        <Button kind="primary" icon="send" isBusy={test.isPending} onClick={() => test.mutate()}>
          {t.test}
        </Button>
      ) : (
        <Button kind="primary" icon="enable" isBusy={enable.isPending} onClick={() => enable.mutate()}>
          {t.enable}
        </Button>
      )}
      <Button icon="edit" onClick={() => setAsked('edit')}>
        {t.edit}
      </Button>
      {isEnabled && (
        <Button icon="power" onClick={() => setAsked('disable')}>
          {t.disable}
        </Button>
      )}
      <Button icon="key" onClick={() => setAsked('rotate')}>
        {t.rotate}
      </Button>
      <Button kind="risky" icon="remove" onClick={() => setAsked('remove')}>
        {t.remove}
      </Button>
      {test.error !== null && <ErrorView error={test.error} onRetry={() => test.mutate()} />}
      {enable.error !== null && <ErrorView error={enable.error} onRetry={() => enable.mutate()} />}
      <EditWebhook workspaceId={workspaceId} webhook={webhook} isOpen={asked === 'edit'} onClose={close} />
      <Confirm
        isOpen={asked === 'disable'}
        onClose={close}
        title={t.disableTitle(name)}
        verb={t.disable}
        act={async () => unwrap(await webhooks.update(id, { status: 'disabled' }))}
        onDone={() => {
          say(t.done.disable);
          refresh();
        }}
      >
        {t.disableText}
      </Confirm>
      <Confirm
        isOpen={asked === 'rotate'}
        onClose={close}
        title={t.rotateTitle(name)}
        verb={t.rotate}
        act={async () => {
          const rotation = { after_seconds: Number(after) };
          setSecret(unwrap(await webhooks.rotateSecret(id, rotation)).data.secret);
        }}
        onDone={refresh}
      >
        <p>{t.rotateText}</p>
        <Field name="after" label={t.rotateWhen}>
          <select value={after} onChange={(event) => setAfter(event.target.value)}>
            <option value="0">{t.rotateAtOnce}</option>
            <option value="3600">{t.rotateInAnHour}</option>
            <option value="86400">{t.rotateInADay}</option>
          </select>
        </Field>
      </Confirm>
      <Confirm
        isOpen={asked === 'remove'}
        onClose={close}
        title={t.removeTitle(name)}
        verb={t.remove}
        typed={webhookHost(webhook)}
        act={async () => unwrap(await webhooks.delete(id))}
        onDone={() => {
          say(t.done.remove);
          // Refresh only after leaving this page, which would read the deleted webhook.
          void navigate({ to: '/w/$workspace/webhooks', params: { workspace: workspaceId } }).then(refresh);
        }}
      >
        {t.removeText}
      </Confirm>
      <SecretOnce secret={secret} onClose={() => setSecret(null)} title={t.secretTitle} label={t.secret}>
        {t.secretOnce}
      </SecretOnce>
    </>
  );
}
