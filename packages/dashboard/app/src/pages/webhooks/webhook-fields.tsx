import { useQuery } from '@tanstack/react-query';
import type { CallResult } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { numbersQuery } from '../../api/lists.ts';
import { CheckGroup } from '../../components/check-group.tsx';
import { Field } from '../../components/form.tsx';
import { OPT_IN_TYPES, SPECIFIED_TYPES } from '../../domain/event-types.ts';
import type { SubscribableType } from '../../domain/event-types.ts';
import { useTexts } from '../../texts/language.tsx';

export interface WebhookValues {
  readonly url: string;
  readonly description: string;
  readonly events: readonly SubscribableType[];
  /** The ids of the chosen numbers; none for all. */
  readonly instances: readonly string[];
  readonly trace: boolean;
}

/** The settings as input of the API. */
export function inputOf({ url, description, events, instances, trace }: WebhookValues) {
  const words = description.trim();
  return {
    url: url.trim(),
    description: words === '' ? null : words,
    events: [...events],
    instances: instances.length === 0 ? null : [...instances],
    trace_context: trace,
  };
}

/** Moves the error INVALID_WEBHOOK_URL to the field `url`, where the form shows it. */
export function atAddress<Reply>(result: CallResult<Reply>): CallResult<Reply> {
  if (result.ok || result.error.code !== 'INVALID_WEBHOOK_URL') return result;
  const { error } = result;
  return { ...result, error: { ...error, details: { ...error.details, fields: { url: [error.message] } } } };
}

export function WebhookFields({
  workspaceId,
  values,
  onChange,
  isMissingEvents,
}: {
  readonly workspaceId: string;
  readonly values: WebhookValues;
  onChange(values: WebhookValues): void;
  /** Whether the user has tried to submit. From then on, choosing no event is shown as an error. */
  readonly isMissingEvents: boolean;
}): ReactNode {
  const t = useTexts('webhooks');
  const { url, description, events, trace } = values;
  const optionsOf = (types: readonly SubscribableType[]) =>
    types.map((value) => ({ value, label: value, hint: t.eventMeanings[value] }));
  /** Sets which of `types` are chosen. Other types stay as they are. */
  const choose = (types: readonly SubscribableType[], chosen: readonly SubscribableType[]): void =>
    onChange({ ...values, events: [...events.filter((type) => !types.includes(type)), ...chosen] });
  return (
    <>
      <Field name="url" label={t.address} hint={t.addressHint}>
        <input
          type="url"
          value={url}
          placeholder="https://"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ ...values, url: event.target.value })}
        />
      </Field>
      <Field name="description" label={t.description} hint={t.descriptionHint}>
        <input
          value={description}
          onChange={(event) => onChange({ ...values, description: event.target.value })}
        />
      </Field>
      <CheckGroup
        name="events"
        label={t.events}
        options={optionsOf(SPECIFIED_TYPES)}
        chosen={events}
        onChoose={(chosen) => choose(SPECIFIED_TYPES, chosen)}
        presets={[
          { label: t.allEvents, values: SPECIFIED_TYPES },
          { label: t.noEvents, values: [] },
        ]}
        error={isMissingEvents && events.length === 0 ? t.eventsMissing : undefined}
      />
      <CheckGroup
        name="more_events"
        label={t.eventsMore}
        options={optionsOf(OPT_IN_TYPES)}
        chosen={events}
        onChoose={(chosen) => choose(OPT_IN_TYPES, chosen)}
      />
      <ChosenNumbers
        workspaceId={workspaceId}
        chosen={values.instances}
        onChoose={(instances) => onChange({ ...values, instances })}
      />
      <CheckGroup
        name="trace_context"
        label={t.trace}
        options={[{ value: 'trace', label: t.traceHint }]}
        chosen={trace ? ['trace'] : []}
        onChoose={(chosen) => onChange({ ...values, trace: chosen.length > 0 })}
      />
    </>
  );
}

function ChosenNumbers({
  workspaceId,
  chosen,
  onChoose,
}: {
  readonly workspaceId: string;
  readonly chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
}): ReactNode {
  const t = useTexts('webhooks');
  const { data: numbers } = useQuery(numbersQuery(workspaceId));
  if (!numbers || (numbers.length < 2 && chosen.length === 0)) return null;
  const known = numbers.map(({ id, name, phone_number }) => ({
    value: id,
    label: name,
    hint: phone_number ?? '',
  }));
  const deleted = chosen.filter((id) => numbers.every((number) => number.id !== id));
  return (
    <CheckGroup
      name="instances"
      label={t.onlyNumbers}
      options={[...known, ...deleted.map((id) => ({ value: id, label: id, hint: t.deletedNumber }))]}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
