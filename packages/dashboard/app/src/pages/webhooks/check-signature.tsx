import { useMutation } from '@tanstack/react-query';
import type { DeliveryDetailResource } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { useCopy } from '../../components/copy.ts';
import { Field, Form } from '../../components/form.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { distanceText, Time } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './check-signature.module.css';
import { bodyOf, curlOf } from './request-text.ts';
import { canSign, checkSignature, signatureHeaders, TOLERANCE_MS } from './signature.ts';

const NO_HEADERS = 'X-Service-Timestamp: \nX-Service-Signature: ';

/** Explains why a receiver refuses a request. The request and the secret that the user enters stay in this page. */
export function CheckSignature({
  delivery: { request },
}: {
  readonly delivery: DeliveryDetailResource;
}): ReactNode {
  const t = useTexts('webhooks');
  const copy = useCopy();
  const sent = bodyOf(request);
  const [secret, setSecret] = useState('');
  const [headers, setHeaders] = useState(NO_HEADERS);
  const [body, setBody] = useState(sent ?? '');
  const [missing, setMissing] = useState<'secret' | 'headers' | null>(null);
  const check = useMutation({
    mutationFn: () => checkSignature({ secret, headers, body }),
    gcTime: 0,
  });
  const copySigned = useMutation({
    mutationFn: async () => copy(curlOf(request, await signatureHeaders(secret, sent ?? ''))),
    gcTime: 0,
  });
  if (!canSign()) return <p>{t.checkUnavailable}</p>;

  const hasSecret = (): boolean => {
    const isThere = secret.trim() !== '';
    if (!isThere) setMissing('secret');
    return isThere;
  };
  const submit = (): void => {
    setMissing(null);
    check.reset();
    if (!hasSecret()) return;
    if (headers.trim() === '' || headers.trim() === NO_HEADERS.trim()) setMissing('headers');
    else check.mutate();
  };
  const failure = check.error ?? copySigned.error;
  return (
    <div className={styles['check']}>
      <p>{t.checkText}</p>
      <Form onSubmit={submit} error={null}>
        <Field
          name="secret"
          label={t.checkSecret}
          error={missing === 'secret' ? t.checkSecretMissing : undefined}
        >
          <input
            value={secret}
            placeholder="whsec_…"
            // Not a password field, which browsers offer to save. Some browsers check spelling on a server.
            autoComplete="off"
            spellCheck={false}
            className={styles['code']}
            onChange={(event) => setSecret(event.target.value)}
          />
        </Field>
        <Field
          name="headers"
          label={t.checkHeaders}
          error={missing === 'headers' ? t.checkHeadersMissing : undefined}
        >
          <textarea
            rows={3}
            value={headers}
            spellCheck={false}
            className={styles['code']}
            onChange={(event) => setHeaders(event.target.value)}
          />
        </Field>
        <Field name="body" label={t.checkBody} hint={t.checkBodyHint}>
          <textarea
            rows={5}
            value={body}
            spellCheck={false}
            className={styles['code']}
            onChange={(event) => setBody(event.target.value)}
          />
        </Field>
        <div className={styles['buttons']}>
          <Button type="submit" kind="primary" isBusy={check.isPending}>
            {t.checkNow}
          </Button>
          {sent !== null && (
            <Button
              onClick={() => {
                setMissing(null);
                if (hasSecret()) copySigned.mutate();
              }}
            >
              {t.copyCurlSigned}
            </Button>
          )}
        </div>
      </Form>
      <div role="status" className={styles['result']}>
        {check.data && <Result {...check.data} />}
        {failure !== null && (
          <p>
            {t.checkFailed} {failure.message}
          </p>
        )}
      </div>
    </div>
  );
}

function Result({ wrong, signedAt }: Awaited<ReturnType<typeof checkSignature>>): ReactNode {
  const t = useTexts('webhooks');
  const { locale } = useLanguage();
  const isRight = wrong === null;
  return (
    <>
      <p className={styles['verdict']}>
        <StatusBadge tone={isRight ? 'good' : 'bad'}>
          {isRight ? t.checkVerdict.right : t.checkVerdict.wrong}
        </StatusBadge>
        <span>{isRight ? t.checkRight : t.checkWrong[wrong]}</span>
      </p>
      {signedAt !== null && (
        <p className={styles['quiet']}>
          {t.checkSigned} <Time at={new Date(signedAt).toISOString()} as="precise" /> (
          <Time at={new Date(signedAt).toISOString()} />
          ). {t.checkOld(distanceText(locale, TOLERANCE_MS))}
        </p>
      )}
    </>
  );
}
