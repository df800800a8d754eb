import { useId } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './check-group.module.css';
import { useFieldErrors } from './form.tsx';

interface CheckGroupProps<Value extends string> {
  /** The field's name in the API, which its errors refer to. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  readonly chosen: readonly Value[];
  onChoose(chosen: readonly Value[]): void;
  /** Buttons that replace the whole choice. */
  readonly presets?: readonly { readonly label: string; readonly values: readonly Value[] }[];
  /** An error that the form itself found, before any request. */
  readonly error?: string | undefined;
}

export function CheckGroup<Value extends string>({
  name,
  label,
  options,
  chosen,
  onChoose,
  presets = [],
  error,
}: CheckGroupProps<Value>): ReactNode {
  const id = useId();
  const errors = [...(error === undefined ? [] : [error]), ...useFieldErrors(name)];
  const isWrong = errors.length > 0;
  return (
    <fieldset className={styles['group']} aria-describedby={isWrong ? `${id}-error` : undefined}>
      <legend className={styles['legend']}>{label}</legend>
      {presets.length > 0 && (
        <p className={styles['presets']}>
          {presets.map((preset) => (
            <Button key={preset.label} onClick={() => onChoose(preset.values)}>
              {preset.label}
            </Button>
          ))}
        </p>
      )}
      {options.map((option) => (
        <label key={option.value} className={styles['option']}>
          <input
            type="checkbox"
            name={name}
            aria-invalid={isWrong}
            checked={chosen.includes(option.value)}
            onChange={({ target }) =>
              onChoose(
                options
                  .map(({ value }) => value)
                  .filter((value) => (value === option.value ? target.checked : chosen.includes(value))),
              )
            }
          />
          <span>
            {option.label}{' '}
            {option.hint !== undefined && <span className={styles['hint']}>{option.hint}</span>}
          </span>
        </label>
      ))}
      {isWrong && (
        <p id={`${id}-error`} className={styles['wrong']}>
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}
