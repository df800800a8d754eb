import { useEffect, useId, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  /** What is looked for now, as the URL says. */
  readonly value: string | undefined;
  readonly label: string;
  readonly hint: string;
  readonly action: string;
  /** With white space around it removed; empty to look for nothing. */
  onFind(wanted: string): void;
}

/** The field of a page by which one finds; `/` goes to it. */
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
