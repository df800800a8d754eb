import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { networksQuery } from '../../api/lists.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CredentialInputs, enteredOf } from './credentials.tsx';

interface AddNumberProps {
  readonly workspaceId: string;
  readonly isOpen: boolean;
  onClose(): void;
}

/** Creates a number, starts linking it, and opens its page with the code to scan. */
export function AddNumber(props: AddNumberProps): ReactNode {
  const t = useTexts('numbers');
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t.addTitle}>
      <AddNumberForm {...props} />
    </Dialog>
  );
}

function AddNumberForm({ workspaceId, onClose }: AddNumberProps): ReactNode {
  const t = useTexts('numbers');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [network, setNetwork] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { data: networks = [] } = useQuery(networksQuery(workspaceId));
  const chosen = networks.find((one) => (network === undefined ? one.default : one.name === network));
  const add = useMutation({
    async mutationFn() {
      const { instances } = clientOf(workspaceId);
      const { data } = unwrap(
        await instances.create({
          ...(name.trim() !== '' && { name }),
          network,
          credentials: enteredOf(values),
        }),
      );
      // Ignore a failure: the user can try again on the number's own page.
      await instances.connect(data.id);
      return data;
    },
    async onSuccess({ id }) {
      onClose();
      void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') });
      await navigate({
        to: '/w/$workspace/numbers/$instance',
        params: { workspace: workspaceId, instance: id },
      });
    },
  });
  return (
    <Form onSubmit={() => add.mutate()} error={add.error}>
      <Field name="name" label={t.name} hint={t.addHint}>
        <input value={name} onChange={(event) => setName(event.target.value)} maxLength={100} />
      </Field>
      {networks.length > 1 && (
        <Field name="network" label={t.network}>
          <select
            value={network}
            onChange={(event) => {
              setNetwork(event.target.value);
              setValues({});
            }}
          >
            {networks.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </select>
        </Field>
      )}
      {chosen && <CredentialInputs fields={chosen.credentials} values={values} onChange={setValues} />}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={add.isPending}>
          {t.create}
        </Button>
      </DialogButtons>
    </Form>
  );
}
