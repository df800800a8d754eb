import { useQueryClient } from '@tanstack/react-query';
import type { InstanceResource, MessageResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogButtons } from '../../components/dialog.tsx';
import { Field, Form } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Icon } from './icon.tsx';
import { KIND_FIELDS, KINDS, NOTHING, outgoingOf } from './kind-fields.tsx';
import type { KindValues, OtherKind } from './kind-fields.tsx';
import type { ChatAddress } from './queries.ts';
import type { Stretch } from './stretch.ts';
import type { LongList } from './stretch-query.ts';
import { useSend } from './use-send.ts';

interface OtherKindsProps {
  readonly address: ChatAddress;
  readonly list: LongList<MessageResource>;
  /** The capabilities of the number. */
  readonly capabilities: InstanceResource['capabilities'];
  readonly repliedTo: MessageResource | null;
  /** Called when the service has accepted the message. */
  onSent(): void;
}

/** A button to send a location, a contact, a poll or a sticker: those that the number can send. */
export function OtherKinds(props: OtherKindsProps): ReactNode {
  const t = useTexts('chats');
  const [isOpen, setOpen] = useState(false);
  const kinds = KINDS.filter((kind) => props.capabilities.includes(`${kind}s`));
  const [first] = kinds;
  if (first === undefined) return null;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button aria-label={t.sendOther} title={t.sendOther} onClick={() => setOpen(true)}>
        <Icon name="write" />
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={t.sendOther}>
        <OtherKindForm {...props} kinds={kinds} first={first} onClose={close} />
      </Dialog>
    </>
  );
}

function OtherKindForm({
  address,
  list,
  kinds,
  first,
  repliedTo,
  onSent,
  onClose,
}: OtherKindsProps & {
  readonly kinds: readonly OtherKind[];
  readonly first: OtherKind;
  onClose(): void;
}): ReactNode {
  const t = useTexts('chats');
  const queries = useQueryClient();
  const [kind, setKind] = useState(first);
  const [values, setValues] = useState<KindValues>(NOTHING);
  const { send, isSending, error, isDoubtful } = useSend(address.workspaceId, (message) => {
    queries.setQueryData<Stretch<MessageResource>>(
      list.queryKey,
      (known) => known && list.stretches.withCreated(known, message),
    );
    onClose();
    onSent();
  });
  const Fields = KIND_FIELDS[kind];
  const submit = (): void => {
    const to = { instance: address.instanceId, to: address.counterpart };
    const message = outgoingOf(kind, values);
    if (message !== null) send({ ...to, ...(repliedTo && { reply_to: repliedTo.id }), ...message });
  };
  return (
    <Form onSubmit={submit} error={error}>
      <Field name="kind" label={t.kind}>
        <select
          value={kind}
          onChange={(event) => setKind(kinds.find((each) => each === event.target.value) ?? kind)}
        >
          {kinds.map((each) => (
            <option key={each} value={each}>
              {t.kinds[each]}
            </option>
          ))}
        </select>
      </Field>
      <Fields values={values} onChange={(changed) => setValues((before) => ({ ...before, ...changed }))} />
      {isDoubtful && <p>{t.mayHaveSent}</p>}
      <DialogButtons onCancel={onClose}>
        <Button type="submit" kind="primary" isBusy={isSending}>
          {t.send}
        </Button>
      </DialogButtons>
    </Form>
  );
}
