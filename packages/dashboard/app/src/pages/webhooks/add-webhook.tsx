import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '@trunkline/http/client';
import type { WebhookResourceWithSecret } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { SPECIFIED_TYPES } from '../../domain/event-types.ts';
import { useTexts } from '../../texts/language.tsx';
import { atAddress, inputOf, WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

interface AddWebhookProps {
  readonly workspaceId: string;
  readonly isOpen: boolean;
  onClose(): void;
}

/**
 * Adds a webhook, shows its secret, and then opens the webhook's page. Must stay mounted when the list gets its first
 * webhook, or the secret would vanish.
 */
export function AddWebhook({ workspaceId, isOpen, onClose }: AddWebhookProps): ReactNode {
  const t = useTexts('webhooks');
  const navigate = useNavigate();
  const [added, setAdded] = useState<WebhookResourceWithSecret | null>(null);
  const leave = (): void => {
    setAdded(null);
    if (added === null) return;
    void navigate({
      to: '/w/$workspace/webhooks/$webhook',
      params: { workspace: workspaceId, webhook: added.id },
    });
  };
  return (
    <>
      <Dialog isOpen={isOpen} onClose={onClose} title={t.add}>
        <AddForm
          workspaceId={workspaceId}
          onCancel={onClose}
          onAdded={(webhook) => {
            onClose();
            setAdded(webhook);
          }}
        />
      </Dialog>
      <SecretOnce secret={added?.secret ?? null} onClose={leave} title={t.secretTitle} label={t.secret}>
        {t.secretOnce}
      </SecretOnce>
    </>
  );
}

const NEW: WebhookValues = {
  url: '',
  description: '',
  events: SPECIFIED_TYPES,
  instances: [],
  trace: false,
};

function AddForm({
  workspaceId,
  onCancel,
  onAdded,
}: {
  readonly workspaceId: string;
  onCancel(): void;
  onAdded(webhook: WebhookResourceWithSecret): void;
}): ReactNode {
  const t = useTexts('webhooks');
  const queries = useQueryClient();
  const [values, setValues] = useState(NEW);
  const [hasTried, setTried] = useState(false);
  const add = useMutation({
    mutationFn: async () =>
      unwrap(atAddress(await clientOf(workspaceId).webhooks.create(inputOf(values)))).data,
    onSuccess(webhook) {
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'webhooks') });
      onAdded(webhook);
    },
    gcTime: 0,
  });
  return (
    <Form
      onSubmit={() => {
        setTried(true);
        if (values.events.length > 0) add.mutate();
      }}
      error={add.error}
    >
      <WebhookFields
        workspaceId={workspaceId}
        values={values}
        onChange={setValues}
        isMissingEvents={hasTried}
      />
      <DialogButtons onCancel={onCancel}>
        <Button type="submit" kind="primary" isBusy={add.isPending}>
          {t.create}
        </Button>
      </DialogButtons>
    </Form>
  );
}
