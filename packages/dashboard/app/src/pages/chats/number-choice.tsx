import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './number-choice.module.css';

/** Which number the chats are of: the one in the URL, or the only one there is; otherwise somebody has to choose. */
export function NumberChoice({
  workspace,
  chosen,
  mayChange = false,
  children,
}: {
  readonly workspace: string;
  readonly chosen: string | undefined;
  /** The choice stays once it is made. */
  readonly mayChange?: boolean;
  readonly children: (number: InstanceResource) => ReactNode;
}): ReactNode {
  const t = useTexts('chats');
  const query = useQuery(numbersQuery(workspace));
  return (
    <Loaded query={query}>
      {(numbers) => {
        const number = numberAmong(numbers, chosen);
        if (numbers.length === 0) {
          return (
            <EmptyState title={t.noNumber} action={<ToNumbers workspace={workspace} />}>
              {t.noNumberHint}
            </EmptyState>
          );
        }
        return (
          <>
            {((mayChange && numbers.length > 1) || number === undefined) && (
              <div className={styles['choice']}>
                <FilterSelect
                  name="instance"
                  label={t.number}
                  value={number?.id}
                  none={t.chooseNumber}
                  options={numbers.map(({ id, name }) => ({ value: id, label: name }))}
                />
                {number === undefined && (
                  <p className={styles['hint']}>{chosen === undefined ? t.chooseHint : t.noSuchNumber}</p>
                )}
              </div>
            )}
            {number && children(number)}
          </>
        );
      }}
    </Loaded>
  );
}

function ToNumbers({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('chats');
  return (
    <Link to="/w/$workspace/numbers" params={{ workspace }}>
      {t.toNumbers}
    </Link>
  );
}

/** The one with this id, or the only one there is. */
export function numberAmong(
  numbers: readonly InstanceResource[],
  chosen: string | undefined,
): InstanceResource | undefined {
  if (chosen === undefined) return numbers.length === 1 ? numbers[0] : undefined;
  return numbers.find(({ id }) => id === chosen);
}
