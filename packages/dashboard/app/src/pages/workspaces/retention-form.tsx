import { useState } from 'react';
import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { Button } from '../../components/button.tsx';
import { DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { Warning } from '../../components/warning.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useChange } from './use-change.ts';
import type { ChangeFormProps } from './use-change.ts';

const KINDS = ['service', 'forever', 'days'] as const;
type Kind = (typeof KINDS)[number];
const DAYS_MAX = 36_500;

export function RetentionForm({ workspace, onClose }: ChangeFormProps): ReactNode {
  const t = useTexts('workspaces');
  const common = useTexts('common');
  const { messages_days: stored } = workspace;
  const [kind, setKind] = useState<Kind>(kindOf(stored));
  const [text, setText] = useState(typeof stored === 'number' ? String(stored) : '');
  const [isTried, setTried] = useState(false);
  const change = useChange(workspace.id, { said: t.done.retention, onDone: onClose });
  const days = daysIn(text);
  const submit = (): void => {
    setTried(true);
    const wanted = { service: null, forever: 'forever', days } as const;
    if (kind !== 'days' || days !== null) change.mutate({ messages_days: wanted[kind] });
  };
  return (
    <Form onSubmit={submit} error={change.error}>
      <Field name="kind" label={t.retentionKept} hint={t.retentionHint}>
        <select
          value={kind}
          onChange={({ target }) => setKind(KINDS.find((each) => each === target.value) ?? kind)}
        >
          {KINDS.map((value) => (
            <option key={value} value={value}>
              {t.retentions[value]}
            </option>
          ))}
        </select>
      </Field>
      {kind === 'days' && (
        <Field name="messages_days" label={t.days} error={isTried && days === null ? t.daysWrong : undefined}>
          <input
            inputMode="numeric"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      )}
      {kind === 'days' && days !== null && <Warning>{t.shorterText(days)}</Warning>}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={change.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}

function kindOf(stored: WorkspaceResource['messages_days']): Kind {
  if (stored === null) return 'service';
  return stored === 'forever' ? 'forever' : 'days';
}

function daysIn(text: string): number | null {
  const days = /^\s*\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  return days >= 1 && days <= DAYS_MAX ? days : null;
}
