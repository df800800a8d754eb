import { useState } from 'react';
import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { Button } from '../../components/button.tsx';
import { DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useChange } from './use-change.ts';
import type { ChangeFormProps } from './use-change.ts';

type Subscription = WorkspaceResource['plan']['subscription'];

const SUBSCRIPTIONS: readonly Subscription[] = ['active', 'trial', 'past_due', 'none'];

interface Limit {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  onChange(text: string): void;
  readonly isWrong: boolean;
}

export function PlanForm({ workspace, onClose }: ChangeFormProps): ReactNode {
  const t = useTexts('workspaces');
  const common = useTexts('common');
  const { plan } = workspace;
  const [subscription, setSubscription] = useState(plan.subscription);
  const [numbers, setNumbers] = useState(textOf(plan.instance_limit));
  const [webhooks, setWebhooks] = useState(textOf(plan.webhook_limit));
  const [trial, setTrial] = useState(textOf(plan.trial_message_limit));
  const [isTried, setTried] = useState(false);
  const change = useChange(workspace.id, { said: t.done.plan, onDone: onClose });
  const [instanceLimit, webhookLimit, trialLimit] = [numbers, webhooks, trial].map(countIn);
  const submit = (): void => {
    setTried(true);
    if (instanceLimit === undefined || trialLimit === undefined || typeof webhookLimit !== 'number') return;
    change.mutate({
      plan: {
        subscription,
        instance_limit: instanceLimit,
        webhook_limit: webhookLimit,
        trial_message_limit: trialLimit,
      },
    });
  };
  const limitField = ({ name, label, hint, value, onChange, isWrong }: Limit): ReactNode => (
    <Field
      name={`plan.${name}`}
      label={label}
      hint={hint}
      error={isTried && isWrong ? t.wholeNumber : undefined}
    >
      <input
        inputMode="numeric"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
  return (
    <Form onSubmit={submit} error={change.error}>
      <Field name="plan.subscription" label={t.subscription} hint={t.billingMeanings[subscription]}>
        <select
          value={subscription}
          onChange={({ target }) =>
            setSubscription(SUBSCRIPTIONS.find((each) => each === target.value) ?? subscription)
          }
        >
          {SUBSCRIPTIONS.map((value) => (
            <option key={value} value={value}>
              {t.billing[value]}
            </option>
          ))}
        </select>
      </Field>
      {limitField({
        name: 'instance_limit',
        label: t.instanceLimit,
        hint: t.limitHint,
        value: numbers,
        onChange: setNumbers,
        isWrong: instanceLimit === undefined,
      })}
      {limitField({
        name: 'webhook_limit',
        label: t.webhookLimit,
        value: webhooks,
        onChange: setWebhooks,
        isWrong: typeof webhookLimit !== 'number',
      })}
      {limitField({
        name: 'trial_message_limit',
        label: t.trialLimit,
        hint: t.trialLimitHint,
        value: trial,
        onChange: setTrial,
        isWrong: trialLimit === undefined,
      })}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={change.isPending}>
          {common.save}
        </Button>
      </DialogButtons>
    </Form>
  );
}

function textOf(limit: number | null): string {
  return limit === null ? '' : String(limit);
}

/** Null for an empty field; undefined if the text is not a count. */
function countIn(text: string): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  return /^\d{1,15}$/.test(written) ? Number(written) : undefined;
}
