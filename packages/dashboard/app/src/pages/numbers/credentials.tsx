import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { NetworkResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';

type Fields = NetworkResource['credentials'];
type Values = Readonly<Record<string, string>>;

/** An input for each value that the network of a number has as credentials. */
export function CredentialInputs({
  fields,
  values,
  onChange,
}: {
  readonly fields: Fields;
  readonly values: Values;
  onChange(values: Values): void;
}): ReactNode {
  const t = useTexts('numbers');
  return fields.map(({ name, secret, required, about }) => (
    <Field key={name} name={`credentials.${name}`} label={required ? name : t.optional(name)} hint={about}>
      <input
        type={secret ? 'password' : 'text'}
        autoComplete={secret ? 'new-password' : 'off'}
        value={values[name] ?? ''}
        onChange={({ target }) => onChange({ ...values, [name]: target.value })}
      />
    </Field>
  ));
}

/** Returns the values that were entered; undefined if none was. */
export function enteredOf(values: Values): Values | undefined {
  const entered = Object.entries(values).filter(([, value]) => value.trim() !== '');
  return entered.length === 0
    ? undefined
    : Object.fromEntries(entered.map(([name, value]) => [name, value.trim()]));
}

interface CredentialsFormProps {
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly fields: Fields;
  /** The dialog that the form is in, if any. */
  readonly onClose?: () => void;
}

/** Gives a number its credentials. */
export function CredentialsForm(props: CredentialsFormProps): ReactNode {
  const { workspaceId, instanceId, fields, onClose } = props;
  const t = useTexts('numbers');
  const common = useTexts('common');
  const { say } = useToasts();
  const queries = useQueryClient();
  const [values, setValues] = useState<Values>({});
  const change = useMutation({
    mutationFn: async () =>
      unwrap(
        await clientOf(workspaceId).instances.update(instanceId, { credentials: enteredOf(values) ?? {} }),
      ),
    onSuccess() {
      onClose?.();
      say(t.done.credentials);
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') });
    },
  });
  const submit = (
    <Button type="submit" kind="primary" isBusy={change.isPending}>
      {common.save}
    </Button>
  );
  return (
    <Form onSubmit={() => change.mutate()} error={change.error}>
      <CredentialInputs fields={fields} values={values} onChange={setValues} />
      {onClose ? <DialogButtons onCancel={onClose}>{submit}</DialogButtons> : <div>{submit}</div>}
    </Form>
  );
}

/** Asks for other credentials of a number. */
export function ChangeCredentials({
  isOpen,
  ...form
}: CredentialsFormProps & { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const t = useTexts('numbers');
  return (
    <Dialog isOpen={isOpen} onClose={form.onClose} title={t.credentials}>
      <CredentialsForm {...form} />
    </Dialog>
  );
}
