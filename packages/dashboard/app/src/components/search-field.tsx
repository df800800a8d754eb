import { useEffect, useId, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  readonly value: string | undefined;
  readonly label: string;
  readonly hint: string;
  readonly action: string;
  /** Called with the trimmed text; an empty text ends the search. */
  onFind(wanted: string): void;
}

/** The key `/` focuses the field. */
export function SearchField({ value = '', label, hint, action, onFind }: SearchFieldProps): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <form
      role="search"
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        onFind(typed.trim());
      }}
    >
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={typed}
        maxLength={64}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}
