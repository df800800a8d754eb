import { useMutation } from '@tanstack/react-query';
import { isClientError } from '@trunkline/http/client';
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { signIn, signInByLink } from '../../api/session.ts';
import { BASE_PATH } from '../../base-path.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Field, Form } from '../../components/form.tsx';
import { Id } from '../../components/id.tsx';
import icon from '../../icon.svg';
import { useTexts } from '../../texts/language.tsx';
import styles from './sign-in-page.module.css';

const route = getRouteApi('/sign-in');

/**
 * Signs in with an API key, with the admin token, or with the token in the fragment of the link that the server prints.
 */
export function SignInPage(): ReactNode {
  const t = useTexts('signIn');
  const { product } = useTexts('shell');
  const { next = '/' } = route.useSearch();
  const linkToken = useLinkToken();
  // Load a new document, so that no data of an earlier session stays in memory.
  const onSuccess = (): void => location.replace(`${BASE_PATH}${next}`);
  const byLink = useMutation({ mutationKey: ['session', 'link'], mutationFn: signInByLink, onSuccess });
  const byHand = useMutation({ mutationKey: ['session', 'sign-in'], mutationFn: signIn, onSuccess });
  const { mutate } = byLink;
  useEffect(() => {
    if (linkToken !== null) mutate(linkToken);
  }, [linkToken, mutate]);
  useEffect(() => {
    document.title = `${t.title} · ${product}`;
  }, [t, product]);

  const error = byHand.error ?? byLink.error;
  const hasNoSignIn = isClientError(error) && error.error.status === 404;
  return (
    <main className={styles['page']}>
      <h1 className={styles['product']}>
        <img src={icon} alt="" width="40" height="40" />
        {product}
      </h1>
      {hasNoSignIn ? (
        <p>{t.elsewhere}</p>
      ) : byLink.isPending || byLink.isSuccess ? (
        <p role="status">{t.withLink}</p>
      ) : (
        <>
          {byLink.error !== null && (
            <p>
              {t.linkFailed} {t.newLink} <code>trunkline dashboard</code>
            </p>
          )}
          {error !== null && <ErrorView error={error} />}
          <div className={styles['card']}>
            <SignInForm isBusy={byHand.isPending || byHand.isSuccess} onSubmit={byHand.mutate} />
          </div>
          {byLink.error === null && (
            <p className={styles['hint']}>
              {t.noKey} <Id value="trunkline dashboard" label={t.command} />
            </p>
          )}
        </>
      )}
    </main>
  );
}

function SignInForm({
  isBusy,
  onSubmit,
}: {
  readonly isBusy: boolean;
  onSubmit(credential: string): void;
}): ReactNode {
  const t = useTexts('signIn');
  const [credential, setCredential] = useState('');
  const [isMissing, setMissing] = useState(false);
  const submit = (): void => {
    const value = credential.trim();
    setMissing(value === '');
    if (value !== '') onSubmit(value);
  };
  return (
    <Form onSubmit={submit} error={null}>
      <Field name="credential" label={t.credential} hint={t.intro} error={isMissing ? t.required : undefined}>
        <input
          type="password"
          autoComplete="current-password"
          autoFocus
          spellCheck={false}
          value={credential}
          onChange={(event) => setCredential(event.target.value)}
        />
      </Field>
      <Button type="submit" kind="primary" isBusy={isBusy}>
        {isBusy ? t.submitting : t.title}
      </Button>
    </Form>
  );
}

/** Reads the token of the sign-in link, and removes it from the address and the history. */
function useLinkToken(): string | null {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState<string | null>(null);
  useEffect(() => {
    const found = new URLSearchParams(hash).get('token');
    if (found === null) return;
    setToken(found);
    void navigate({ to: '.', search: true, hash: '', replace: true });
  }, [hash, navigate]);
  return token;
}
