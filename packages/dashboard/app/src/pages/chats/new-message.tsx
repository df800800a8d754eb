import { useNavigate } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { counterpartId } from '../../domain/message-status.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSend } from './use-send.ts';

interface NewMessageProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
  onClose(): void;
}

/** A dialog that sends a message to a phone number, and then opens the chat. */
export function NewMessage({ isOpen, ...props }: NewMessageProps & { readonly isOpen: boolean }): ReactNode {
  const t = useTexts('chats');
  const { number, onClose } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.newMessageTitle(number.name)}>
      <NewMessageForm {...props} />
    </Dialog>
  );
}

function NewMessageForm({ workspaceId, number, onClose }: NewMessageProps): ReactNode {
  const t = useTexts('chats');
  const { say } = useToasts();
  const navigate = useNavigate();
  const [to, setTo] = useState('');
  const [text, setText] = useState('');
  const { send, isSending, error, isDoubtful } = useSend(workspaceId, (message) => {
    onClose();
    say(t.sent);
    void navigate({
      to: '/w/$workspace/chats/$counterpart',
      params: { workspace: workspaceId, counterpart: counterpartId(message) ?? to },
      search: { instance: number.id },
    });
  });
  return (
    <Form onSubmit={() => send({ instance: number.id, to, type: 'text', text })} error={error}>
      <Field name="to" label={t.to} hint={t.toHint}>
        <input type="tel" autoComplete="off" value={to} onChange={(event) => setTo(event.target.value)} />
      </Field>
      <Field name="text" label={t.text}>
        <textarea rows={4} dir="auto" value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      {isDoubtful && <p>{t.mayHaveSent}</p>}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={isSending}>
          {t.send}
        </Button>
      </DialogButtons>
    </Form>
  );
}
