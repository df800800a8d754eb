import { useId } from 'react';
import type { ReactNode } from 'react';
import styles from './choice.module.css';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  onChoose(value: Value): void;
}

export function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: ChoiceProps<Value>): ReactNode {
  const id = useId();
  return (
    <span className={styles['choice']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChoose(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}
