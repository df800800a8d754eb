import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { Button } from './button.tsx';
import { DialogButtons, Question } from './dialog.tsx';
import { ErrorView } from './error-view.tsx';
import { Field, Form } from './form.tsx';

interface ConfirmProps {
  readonly isOpen: boolean;
  onClose(): void;
  /** A question about the object of the action: *Delete Support?* */
  readonly title: string;
  /** The consequences, such as the data that is lost. */
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  /** A text that the user must type to confirm; if omitted, a press is enough. */
  readonly typed?: string;
  /** Performs the action. Rejects if it fails. */
  act(): Promise<unknown>;
  onDone?(): void;
}

/** Asks for confirmation, performs the action, and closes. Stays open with the error if the action fails. */
export function Confirm(props: ConfirmProps): ReactNode {
  return (
    <Question isOpen={props.isOpen} onClose={props.onClose} title={props.title}>
      <ConfirmContent {...props} />
    </Question>
  );
}

function ConfirmContent({ onClose, children, verb, typed, act, onDone }: ConfirmProps): ReactNode {
  const t = useTexts('common');
  const [text, setText] = useState('');
  const action = useMutation({
    mutationFn: act,
    onSuccess() {
      onClose();
      onDone?.();
    },
  });
  const isAllowed = typed === undefined || text.trim() === typed.trim();
  return (
    <Form onSubmit={() => isAllowed && action.mutate()} error={null}>
      <div>{children}</div>
      {typed !== undefined && (
        <Field name="confirmation" label={t.typeToConfirm(typed)}>
          <input
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      )}
      {action.error !== null && <ErrorView error={action.error} />}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="danger" isBusy={action.isPending} disabled={!isAllowed}>
          {verb}
        </Button>
      </DialogButtons>
    </Form>
  );
}
