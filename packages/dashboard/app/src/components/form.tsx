import { isClientError } from '@trunkline/http/client';
import { cloneElement, createContext, useContext, useEffect, useId, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { ErrorView } from './error-view.tsx';
import styles from './form.module.css';

type FieldErrors = Readonly<Record<string, readonly string[]>>;

const ErrorContext = createContext<FieldErrors>({});

interface FormProps {
  onSubmit(): void;
  /**
   * The error of the last attempt; null if there is none. Field errors are shown at their fields. The whole error is
   * shown below the fields if it has no field errors, or one for a field that this form lacks.
   */
  readonly error: unknown;
  readonly children: ReactNode;
}

/** Shows the API's field errors at the fields, and moves the focus to the first wrong one. */
export function Form({ onSubmit, error, children }: FormProps): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const [isAllAtFields, setAllAtFields] = useState(true);
  // Counts attempts, so that each one focuses the first wrong field, even without a request.
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (tries === 0 || !form.current) return;
    if (error !== null) {
      const { elements } = form.current;
      const names = Object.keys(fieldErrors(error));
      setAllAtFields(names.length > 0 && names.every((name) => elements.namedItem(name) !== null));
    }
    form.current.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error, tries]);
  return (
    <form
      ref={form}
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTries((before) => before + 1);
        onSubmit();
      }}
    >
      <ErrorContext value={fieldErrors(error)}>{children}</ErrorContext>
      {error !== null && !isAllAtFields && (
        <div ref={intoView}>
          <ErrorView error={error} />
        </div>
      )}
    </form>
  );
}

/** The end of a long form may be out of sight. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

interface Controlled {
  readonly id?: string;
  readonly name?: string;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string | undefined;
}

interface FieldProps {
  /** The field's name in the API, which its errors refer to. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** An error that the form itself found, before any request. */
  readonly error?: string | undefined;
  readonly children: ReactElement<Controlled>;
}

export function Field({ name, label, hint, error, children }: FieldProps): ReactNode {
  const id = useId();
  const errors = [...(error === undefined ? [] : [error]), ...useFieldErrors(name)];
  const isWrong = errors.length > 0;
  const described = [hint && `${id}-hint`, isWrong && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
      </label>
      {cloneElement(children, {
        id,
        name,
        'aria-invalid': isWrong,
        'aria-describedby': described === '' ? undefined : described,
      })}
      {hint && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
      {isWrong && (
        <p id={`${id}-error`} className={styles['wrong']}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}

export function useFieldErrors(name: string): readonly string[] {
  return useContext(ErrorContext)[name] ?? [];
}

function fieldErrors(error: unknown): FieldErrors {
  return isClientError(error) ? (error.error.details.fields ?? {}) : {};
}
