import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { rowLink, Table } from '../../components/table.tsx';
import { phoneText } from '../../domain/phone-text.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './number-choice.module.css';

/** Shows the chats of the number in the URL, or of the only number. Otherwise, the user chooses a number. */
export function NumberChoice({
  workspace,
  chosen,
  mayChange = false,
  children,
}: {
  readonly workspace: string;
  readonly chosen: string | undefined;
  /** Whether to show a field to choose another number. */
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
            {mayChange && number && numbers.length > 1 && (
              <FilterSelect
                name="instance"
                label={t.number}
                value={number.id}
                none={t.chooseNumber}
                options={numbers.map(({ id, name }) => ({ value: id, label: name }))}
              />
            )}
            {number ? (
              children(number)
            ) : (
              <Numbers numbers={numbers} hint={chosen === undefined ? t.chooseHint : t.noSuchNumber} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** Lists the connected numbers first, then the others, each by name. */
function Numbers({
  numbers,
  hint,
}: {
  readonly numbers: readonly InstanceResource[];
  readonly hint: string;
}): ReactNode {
  const t = useTexts('chats');
  const rank = ({ status }: InstanceResource): number => (status === 'connected' ? 0 : 1);
  return (
    <Panel title={t.chooseNumber} isFlush>
      <p className={styles['hint']}>{hint}</p>
      <Table
        caption={t.chooseNumber}
        rows={numbers.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'name',
            title: t.number,
            cell: ({ id, name }) => (
              <Link to="." search={(before: object) => ({ ...before, instance: id })} className={rowLink}>
                {name}
              </Link>
            ),
          },
          {
            key: 'phone',
            title: t.phone,
            isNumeric: true,
            cell: ({ phone_number }) => (phone_number === null ? '–' : phoneText(phone_number)),
          },
        ]}
      />
    </Panel>
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

/** The number with the id `chosen`; if none is chosen, the only number. */
export function numberAmong(
  numbers: readonly InstanceResource[],
  chosen: string | undefined,
): InstanceResource | undefined {
  if (chosen === undefined) return numbers.length === 1 ? numbers[0] : undefined;
  return numbers.find(({ id }) => id === chosen);
}
