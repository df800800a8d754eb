import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import type { ReactNode } from 'react';
import styles from './filter-select.module.css';
import { localTime } from './local-time.ts';

/** A filter by a time in the viewer's zone. The URL has it in UTC, so that a link also works in other zones. */
export function FilterTime({
  name,
  label,
  value,
}: {
  readonly name: string;
  readonly label: string;
  /** ISO 8601. */
  readonly value: string | undefined;
}): ReactNode {
  const id = useId();
  const navigate = useNavigate();
  const choose = (chosen: string): void => {
    const time = new Date(chosen);
    const search = (before: object): object => ({
      ...before,
      [name]: Number.isNaN(time.getTime()) ? undefined : time.toISOString(),
      cursor: undefined,
    });
    void navigate({ to: '.', search: search as never, replace: true }); // the page's route validates it
  };
  return (
    <span className={styles['filter']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        // Uncontrolled, because a date is invalid while it is being typed.
        key={value ?? ''}
        defaultValue={value === undefined ? '' : localTime(value)}
        onBlur={(event) => {
          if (event.target.value !== (value === undefined ? '' : localTime(value)))
            choose(event.target.value);
        }}
      />
    </span>
  );
}
