import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { WebhookResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { atAddress, inputOf, WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

interface EditWebhookProps {
  readonly workspaceId: string;
  readonly webhook: WebhookResource;
  readonly isOpen: boolean;
  onClose(): void;
}

export function EditWebhook(props: EditWebhookProps): ReactNode {
  const t = useTexts('webhooks');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.editTitle}>
      <EditForm {...props} />
    </Dialog>
  );
}

function EditForm({ workspaceId, webhook, onClose }: EditWebhookProps): ReactNode {
  const t = useTexts('webhooks');
  const common = useTexts('common');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [before] = useState<WebhookValues>({
    url: webhook.url,
    description: webhook.description ?? '',
    events: webhook.events,
    instances: webhook.instances ?? [],
    trace: webhook.trace_context,
  });
  const [values, setValues] = useState(before);
  const [hasTried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: async () =>
      unwrap(atAddress(await clientOf(workspaceId).webhooks.update(webhook.id, changesOf(before, values)))),
    onSuccess() {
      onClose();
      say(t.done.edit);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'webhooks') });
    },
  });
  return (
    <Form
      onSubmit={() => {
        setTried(true);
        if (values.events.length > 0) save.mutate();
      }}
      error={save.error}
    >
      <WebhookFields
        workspaceId={workspaceId}
        values={values}
        onChange={setValues}
        isMissingEvents={hasTried}
      />
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}

/** Only the fields that the user changed: another user may have changed others meanwhile. */
function changesOf(before: WebhookValues, after: WebhookValues) {
  const { url, description, events, instances, trace_context } = inputOf(after);
  const was = inputOf(before);
  return {
    ...(url !== was.url && { url }),
    ...(description !== was.description && { description }),
    ...(events.toSorted().join() !== was.events.toSorted().join() && { events }),
    ...(instances?.toSorted().join() !== was.instances?.toSorted().join() && { instances }),
    ...(trace_context !== was.trace_context && { trace_context }),
  };
}
