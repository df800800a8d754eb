import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { useTexts } from '../../texts/language.tsx';
import { PhoneNumber } from './phone-number.tsx';

/** The account and the times of a number. */
export function NumberFacts({
  number,
  network,
}: {
  readonly number: InstanceResource;
  /** The network's title; null until it is loaded. */
  readonly network: string | null;
}): ReactNode {
  const t = useTexts('numbers');
  const common = useTexts('common');
  const { profile_name, last_seen_at, created_at } = number;
  return (
    <Panel title={t.about}>
      <Facts
        facts={[
          { name: t.number, value: <PhoneNumber number={number} /> },
          { name: t.profileName, value: profile_name && <bdi>{profile_name}</bdi> },
          { name: t.network, value: network },
          {
            name: t.lastSeen,
            value: last_seen_at === null ? common.never : <Time at={last_seen_at} as="moment" />,
          },
          { name: t.added, value: <Time at={created_at} as="moment" /> },
        ]}
      />
    </Panel>
  );
}
