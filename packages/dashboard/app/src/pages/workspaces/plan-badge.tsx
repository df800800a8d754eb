import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';

const TONES: Readonly<Record<WorkspaceResource['plan']['subscription'], Tone>> = {
  active: 'good',
  trial: 'busy',
  past_due: 'act',
  none: 'idle',
};

/** The subscription; for a trial, also its usage. */
export function PlanBadge({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const t = useTexts('workspaces');
  const { locale } = useLanguage();
  const { subscription, trial_message_limit: limit } = workspace.plan;
  const numbers = new Intl.NumberFormat(locale);
  const used = numbers.format(workspace.trial_messages_used);
  return (
    <span>
      <StatusBadge tone={TONES[subscription]}>{t.billing[subscription]}</StatusBadge>
      {subscription === 'trial' &&
        ` · ${limit === null ? t.trialUsed(used) : t.trialUsedOf(used, numbers.format(limit))}`}
    </span>
  );
}
