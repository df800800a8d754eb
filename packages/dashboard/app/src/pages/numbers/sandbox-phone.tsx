import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { InstanceResource, PasskeyAnswerInput } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { controlPhone } from '../../api/sandbox.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Field, Form } from '../../components/form.tsx';
import { Panel } from '../../components/panel.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { needsPasskey } from '../../domain/number-status.ts';
import styles from './sandbox-phone.module.css';

interface SandboxPhoneProps {
  readonly workspaceId: string;
  readonly number: InstanceResource;
}

/** The acts of the phone that need no input. */
const CONTROLS = {
  scan: (workspaceId, instanceId) => controlPhone(workspaceId, instanceId, 'scan', {}),
  scanWithPasskey: (workspaceId, instanceId) =>
    controlPhone(workspaceId, instanceId, 'scan', { passkey: true }),
  async signPasskey(workspaceId, instanceId) {
    const answer = await controlPhone(workspaceId, instanceId, 'passkey', {});
    const { instances } = clientOf(workspaceId);
    return unwrap(
      await instances.answerPasskey(instanceId, answer as PasskeyAnswerInput), // as the sandbox returns it
    );
  },
  drop: (workspaceId, instanceId) => controlPhone(workspaceId, instanceId, 'drop', {}),
} satisfies Record<string, (workspaceId: string, instanceId: string) => Promise<unknown>>;

/** The actions of the person who holds the phone (docs/sandbox.md). */
export function SandboxPhone({ workspaceId, number }: SandboxPhoneProps): ReactNode {
  const t = useTexts('numbers');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [isWriting, setWriting] = useState(false);
  const control = useMutation({
    mutationFn: (name: keyof typeof CONTROLS) => CONTROLS[name](workspaceId, number.id),
    onSuccess: (_data, name) => say(t.done[name]),
    onSettled: () => queries.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
  });
  return (
    <Panel title={t.sandbox}>
      <div className={styles['sandbox']}>
        <p className={styles['hint']}>{t.sandboxHint}</p>
        <div className={styles['buttons']}>
          {number.status === 'qr_required' && !needsPasskey(number) && (
            <>
              <Button kind="primary" isBusy={control.isPending} onClick={() => control.mutate('scan')}>
                {t.scan}
              </Button>
              <Button isBusy={control.isPending} onClick={() => control.mutate('scanWithPasskey')}>
                {t.scanWithPasskey}
              </Button>
            </>
          )}
          {needsPasskey(number) && (
            <Button kind="primary" isBusy={control.isPending} onClick={() => control.mutate('signPasskey')}>
              {t.signPasskey}
            </Button>
          )}
          {number.status === 'connected' && (
            <>
              <Button onClick={() => setWriting(true)}>{t.receive}</Button>
              <Button isBusy={control.isPending} onClick={() => control.mutate('drop')}>
                {t.drop}
              </Button>
            </>
          )}
        </div>
        {control.error !== null && <ErrorView error={control.error} />}
      </div>
      <Dialog isOpen={isWriting} onClose={() => setWriting(false)} title={t.receiveTitle}>
        <ReceiveForm workspaceId={workspaceId} number={number} onClose={() => setWriting(false)} />
      </Dialog>
    </Panel>
  );
}

function ReceiveForm({ workspaceId, number, onClose }: SandboxPhoneProps & { onClose(): void }): ReactNode {
  const t = useTexts('numbers');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [from, setFrom] = useState('+1 555 010 0199');
  const [text, setText] = useState('');
  const receive = useMutation({
    mutationFn: () => controlPhone(workspaceId, number.id, 'messages', { from, text }),
    onSuccess() {
      onClose();
      say(t.done.receive);
      void queries.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    },
  });
  return (
    <Form onSubmit={() => receive.mutate()} error={receive.error}>
      <Field name="from" label={t.from}>
        <input type="tel" autoComplete="off" value={from} onChange={(event) => setFrom(event.target.value)} />
      </Field>
      <Field name="text" label={t.text}>
        <textarea rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={receive.isPending}>
          {t.receive}
        </Button>
      </DialogButtons>
    </Form>
  );
}
