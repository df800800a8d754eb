import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import styles from './filter-select.module.css';

interface FilterSelectProps<Value extends string> {
  /** The name of the URL parameter. */
  readonly name: string;
  readonly label: string;
  readonly value: Value | undefined;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  /** The label of the empty choice; by default *All*. */
  readonly none?: string;
}

/** A filter that is kept in the URL. A new choice leads back to the first page of the list. */
export function FilterSelect<Value extends string>({
  name,
  label,
  value,
  options,
  none,
}: FilterSelectProps<Value>): ReactNode {
  const t = useTexts('common');
  const id = useId();
  const navigate = useNavigate();
  const choose = (chosen: string): void => {
    const search = (before: object): object => ({
      ...before,
      [name]: chosen === '' ? undefined : chosen,
      cursor: undefined,
    });
    void navigate({ to: '.', search: search as never, replace: true }); // the page's route validates it
  };
  return (
    <span className={styles['filter']}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={(event) => choose(event.target.value)}>
        <option value="">{none ?? t.all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}
