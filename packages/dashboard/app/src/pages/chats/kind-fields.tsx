import type {
  SendContactInput,
  SendLocationInput,
  SendPollInput,
  SendStickerFileInput,
} from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Field } from '../../components/form.tsx';
import { useTexts } from '../../texts/language.tsx';

export const KINDS = ['location', 'contact', 'poll', 'sticker'] as const;
export type OtherKind = (typeof KINDS)[number];

/** All that can be typed in the fields of a kind. */
export interface KindValues {
  readonly latitude: string;
  readonly longitude: string;
  readonly name: string;
  readonly address: string;
  readonly phone: string;
  readonly question: string;
  /** One a line. */
  readonly options: string;
  readonly isMultiple: boolean;
  readonly file: File | null;
}

export const NOTHING: KindValues = {
  latitude: '',
  longitude: '',
  name: '',
  address: '',
  phone: '',
  question: '',
  options: '',
  isMultiple: false,
  file: null,
};

interface FieldsProps {
  readonly values: KindValues;
  onChange(changed: Partial<KindValues>): void;
}

export const KIND_FIELDS: Readonly<Record<OtherKind, (props: FieldsProps) => ReactNode>> = {
  location: LocationFields,
  contact: ContactFields,
  poll: PollFields,
  sticker: StickerFields,
};

type Unaddressed<Message> = Message extends unknown ? Omit<Message, 'instance' | 'to' | 'reply_to'> : never;

/** The message without its address; null if a sticker has no file yet. The service checks the rest. */
export function outgoingOf(
  kind: OtherKind,
  values: KindValues,
): Unaddressed<SendLocationInput | SendContactInput | SendPollInput | SendStickerFileInput> | null {
  const { latitude, longitude, name, address, phone, question, options, isMultiple, file } = values;
  switch (kind) {
    case 'location': {
      const named = { ...(name !== '' && { name }), ...(address !== '' && { address }) };
      return { kind, payload: { latitude: degrees(latitude), longitude: degrees(longitude), ...named } };
    }
    case 'contact':
      return { kind, payload: { contacts: [{ name, phone_numbers: linesOf(phone) }] } };
    case 'poll':
      return { kind, payload: { question, options: linesOf(options), multiple: isMultiple } };
    case 'sticker':
      return file && { kind, file };
  }
}

/** An empty field is not 0, and is refused by the service. */
function degrees(typed: string): number {
  return typed.trim() === '' ? Number.NaN : Number(typed.replace(',', '.'));
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function LocationFields({ values, onChange }: FieldsProps): ReactNode {
  const t = useTexts('chats');
  return (
    <>
      <Field name="payload.latitude" label={t.latitude} hint={t.degreesNorth}>
        <input
          inputMode="decimal"
          value={values.latitude}
          onChange={(event) => onChange({ latitude: event.target.value })}
        />
      </Field>
      <Field name="payload.longitude" label={t.longitude} hint={t.degreesEast}>
        <input
          inputMode="decimal"
          value={values.longitude}
          onChange={(event) => onChange({ longitude: event.target.value })}
        />
      </Field>
      <Field name="payload.name" label={t.placeName}>
        <input dir="auto" value={values.name} onChange={(event) => onChange({ name: event.target.value })} />
      </Field>
      <Field name="payload.address" label={t.placeAddress}>
        <input
          dir="auto"
          value={values.address}
          onChange={(event) => onChange({ address: event.target.value })}
        />
      </Field>
    </>
  );
}

function ContactFields({ values, onChange }: FieldsProps): ReactNode {
  const t = useTexts('chats');
  return (
    <>
      <Field name="payload.contacts.0.name" label={t.contactName}>
        <input dir="auto" value={values.name} onChange={(event) => onChange({ name: event.target.value })} />
      </Field>
      <Field name="payload.contacts.0.phone_numbers" label={t.contactNumbers} hint={t.onePerLine}>
        <textarea
          rows={2}
          value={values.phone}
          onChange={(event) => onChange({ phone: event.target.value })}
        />
      </Field>
    </>
  );
}

function PollFields({ values, onChange }: FieldsProps): ReactNode {
  const t = useTexts('chats');
  return (
    <>
      <Field name="payload.question" label={t.question}>
        <input
          dir="auto"
          value={values.question}
          onChange={(event) => onChange({ question: event.target.value })}
        />
      </Field>
      <Field name="payload.options" label={t.pollOptions} hint={t.onePerLine}>
        <textarea
          rows={3}
          dir="auto"
          value={values.options}
          onChange={(event) => onChange({ options: event.target.value })}
        />
      </Field>
      <label>
        <input
          type="checkbox"
          checked={values.isMultiple}
          onChange={(event) => onChange({ isMultiple: event.target.checked })}
        />{' '}
        {t.multiple}
      </label>
    </>
  );
}

function StickerFields({ onChange }: FieldsProps): ReactNode {
  const t = useTexts('chats');
  return (
    <Field name="file" label={t.stickerFile} hint={t.stickerHint}>
      <input
        type="file"
        accept="image/webp"
        required
        onChange={(event) => onChange({ file: event.target.files?.[0] ?? null })}
      />
    </Field>
  );
}
