import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MessageResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { controlPhone } from '../../api/sandbox.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { digitsOf } from '../../domain/digits-of.ts';
import type { ChatAddress } from './queries.ts';

interface AsThemProps {
  readonly address: ChatAddress;
  readonly name: string;
  readonly messages: readonly MessageResource[];
}

/** A button to write as the counterpart, in a sandbox. Renders nothing if no number of the counterpart is known. */
export function AsThem(props: AsThemProps): ReactNode {
  const t = useTexts('chats');
  const [isOpen, setOpen] = useState(false);
  const from = numberOf(props);
  if (from === null) return null;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.asThem}</Button>
      <Dialog isOpen={isOpen} onClose={close} title={t.asThemTitle(props.name)}>
        <AsThemForm address={props.address} from={from} onClose={close} />
      </Dialog>
    </>
  );
}

function AsThemForm({
  address: { workspaceId, instanceId, counterpart },
  from,
  onClose,
}: {
  readonly address: ChatAddress;
  readonly from: string;
  onClose(): void;
}): ReactNode {
  const t = useTexts('chats');
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const inGroup = counterpart.startsWith('grp_') ? { group_id: counterpart } : {};
  const receive = useMutation({
    mutationFn: () => controlPhone(workspaceId, instanceId, 'messages', { from, text, ...inGroup }),
    onSuccess() {
      onClose();
      void queries.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    },
  });
  return (
    <Form onSubmit={() => receive.mutate()} error={receive.error}>
      <Field name="text" label={t.text} hint={t.asThemHint}>
        <textarea rows={3} dir="auto" value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={receive.isPending}>
          {t.receive}
        </Button>
      </DialogButtons>
    </Form>
  );
}

/** The person's number; in a group, that of the newest message whose author's number is known. */
function numberOf({ address: { counterpart }, messages }: AsThemProps): string | null {
  for (const { direction, from, to, contact } of messages) {
    const number = direction === 'inbound' ? from : to;
    const known = number ?? contact?.phone_number ?? null;
    if (known !== null) return known;
  }
  return digitsOf(counterpart);
}
