import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { StatusShape } from '../../components/status-badge.tsx';
import { toneOf } from '../../domain/number-status.ts';
import { phoneText } from '../../domain/phone-text.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './numbers-pane.module.css';
import { Pane } from './pane.tsx';

/** The connected numbers first, then the others, each by name. */
export function NumbersPane({
  workspace,
  numbers,
  chosen,
}: {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
  readonly chosen: string | undefined;
}): ReactNode {
  const t = useTexts('chats');
  const rank = ({ status }: InstanceResource): number => (status === 'connected' ? 0 : 1);
  const sorted = numbers.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  return (
    <Pane title={chosen === undefined ? t.title : t.numbers} isPage={chosen === undefined}>
      <nav aria-label={t.numbers} className={styles['list']}>
        <ul>
          {sorted.map((number) => (
            <li key={number.id}>
              <Link
                to="/w/$workspace/chats"
                params={{ workspace }}
                search={{ instance: number.id }}
                activeProps={{}}
                aria-current={number.id === chosen ? 'true' : undefined}
                className={styles['number']}
              >
                <StatusShape tone={toneOf(number)} />
                <span className={styles['name']}>
                  {number.name}
                  {number.status !== 'connected' && <span className="unseen"> ({t.notConnected})</span>}
                </span>
                {number.phone_number !== null && (
                  <span className={styles['phone']}>{phoneText(number.phone_number)}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </Pane>
  );
}
