import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { StatusBadge } from './status-badge.tsx';
import { needsPasskey, toneOf } from '../domain/number-status.ts';
import { useTexts } from '../texts/language.tsx';

export function NumberBadge({ number }: { readonly number: InstanceResource }): ReactNode {
  const { passkeyStatus, statuses } = useTexts('numbers');
  return (
    <StatusBadge tone={toneOf(number)}>
      {needsPasskey(number) ? passkeyStatus : statuses[number.status]}
    </StatusBadge>
  );
}
