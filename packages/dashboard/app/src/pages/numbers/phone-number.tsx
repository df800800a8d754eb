import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { phoneText } from '../../domain/phone-text.ts';
import { useTexts } from '../../texts/language.tsx';

/** The linked number, or that none is linked: not yet, or no longer. */
export function PhoneNumber({
  number: { phone_number, connected_at },
}: {
  readonly number: InstanceResource;
}): ReactNode {
  const t = useTexts('numbers');
  if (phone_number !== null) return <bdi>{phoneText(phone_number)}</bdi>;
  return connected_at === null ? t.notLinked : t.noLongerLinked;
}
