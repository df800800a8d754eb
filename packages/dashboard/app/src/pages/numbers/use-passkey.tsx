import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { isClientError, unwrap } from '@trunkline/http/client';
import type { PasskeyAnswerInput, PasskeyResource } from '@trunkline/http/client';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { useCopy } from '../../components/copy.ts';
import { ErrorView } from '../../components/error-view.tsx';
import { Field, Form } from '../../components/form.tsx';
import { distanceText, useNow } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { passkeyQuery } from './queries.ts';
import styles from './use-passkey.module.css';

interface UsePasskeyProps {
  readonly workspaceId: string;
  readonly instanceId: string;
}

/** Takes a person through the passkey of an account, while its number is linked. */
export function UsePasskey({ workspaceId, instanceId }: UsePasskeyProps): ReactNode {
  const t = useTexts('numbers');
  const { data: step, error } = useQuery({
    ...passkeyQuery(workspaceId, instanceId),
    refetchInterval: 2_000,
  });
  const now = useNow();
  const { locale } = useLanguage();
  if (isClientError(error) && error.code === 'PASSKEY_NOT_AVAILABLE') return <p>{t.passkeyOver}</p>;
  if (error !== null) return <ErrorView error={error} />;
  if (!step) return null;
  return (
    <div className={styles['steps']}>
      <Step workspaceId={workspaceId} instanceId={instanceId} step={step} />
      <p className={styles['quiet']}>
        {t.passkeyExpires} {distanceText(locale, Date.parse(step.expires_at) - now)}
      </p>
    </div>
  );
}

function Step({ step, ...of }: UsePasskeyProps & { readonly step: PasskeyResource }): ReactNode {
  const t = useTexts('numbers');
  switch (step.step) {
    case 'assertion':
      // Another request begins with an empty field.
      return <Assertion key={step.script} {...of} page={step.page ?? ''} script={step.script ?? ''} />;
    case 'phone':
      return <p role="status">{t.passkeyPhone}</p>;
    case 'confirmation':
      return <Confirmation {...of} code={step.code ?? ''} />;
  }
}

interface AssertionProps extends UsePasskeyProps {
  readonly page: string;
  readonly script: string;
}

function Assertion({ workspaceId, instanceId, page, script }: AssertionProps): ReactNode {
  const t = useTexts('numbers');
  const common = useTexts('common');
  const copy = useCopy();
  const scriptId = useId();
  const [pasted, setPasted] = useState('');
  const [isNotWhole, setNotWhole] = useState(false);
  const passing = usePassing({ workspaceId, instanceId });
  const submit = (): void => {
    const answer = readAnswer(pasted);
    setNotWhole(answer === null);
    if (answer) passing.mutate((client) => client.answerPasskey(instanceId, answer));
  };
  return (
    <>
      <ol className={styles['list']}>
        <li>
          {t.passkeyOpen}{' '}
          <a href={page} target="_blank" rel="noreferrer">
            {page}
          </a>
          . {t.passkeyNoScan}
        </li>
        <li>{t.passkeyConsole}</li>
        <li>{t.passkeyButton}</li>
        <li>{t.passkeyPaste}</li>
      </ol>
      <div className={styles['script']}>
        <label htmlFor={scriptId}>{t.passkeyScript}</label>
        <textarea
          id={scriptId}
          readOnly
          rows={4}
          value={script}
          spellCheck={false}
          onFocus={(event) => event.target.select()}
        />
        <div>
          <Button onClick={() => void copy(script)}>{common.copy}</Button>
        </div>
      </div>
      <Form onSubmit={submit} error={passing.error}>
        <Field name="response" label={t.passkeyAnswer} hint={isNotWhole ? t.passkeyNotWhole : undefined}>
          <textarea
            rows={4}
            value={pasted}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setPasted(event.target.value)}
          />
        </Field>
        <div>
          <Button type="submit" kind="primary" isBusy={passing.isPending}>
            {t.passkeySend}
          </Button>
        </div>
      </Form>
    </>
  );
}

function Confirmation({
  workspaceId,
  instanceId,
  code,
}: UsePasskeyProps & { readonly code: string }): ReactNode {
  const t = useTexts('numbers');
  const passing = usePassing({ workspaceId, instanceId });
  return (
    <>
      <p>{t.passkeyCompare}</p>
      <p className={styles['code']}>
        <code>{code}</code>
      </p>
      <div className={styles['buttons']}>
        <Button
          kind="primary"
          isBusy={passing.isPending}
          onClick={() => passing.mutate((client) => client.confirmPasskey(instanceId))}
        >
          {t.passkeySame}
        </Button>
        <Button onClick={() => passing.mutate((client) => client.disconnect(instanceId))}>
          {t.passkeyDiffers}
        </Button>
      </div>
      {passing.error !== null && <ErrorView error={passing.error} />}
    </>
  );
}

type Instances = ReturnType<typeof clientOf>['instances'];

/** Sends what the person did, and reads the step that follows. */
function usePassing({ workspaceId }: UsePasskeyProps) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (send: (client: Instances) => ReturnType<Instances['confirmPasskey']>) =>
      unwrap(await send(clientOf(workspaceId).instances)),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') }),
  });
}

/** Null unless the text is a JSON object. The service checks the rest. */
function readAnswer(text: string): PasskeyAnswerInput | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as PasskeyAnswerInput)
      : null;
  } catch {
    return null;
  }
}
