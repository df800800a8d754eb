import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { isClientError, unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { NetworkResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Field, Form } from '../../components/form.tsx';
import { Id } from '../../components/id.tsx';
import { QrPicture } from '../../components/qr-picture.tsx';
import { distanceText, useNow } from '../../components/time.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './link-phone.module.css';
import { qrQuery } from './queries.ts';

interface LinkPhoneProps {
  readonly workspaceId: string;
  readonly instanceId: string;
  /** Undefined until it is loaded, or if the service no longer has it. */
  readonly network: NetworkResource | undefined;
}

export function LinkPhone({ workspaceId, instanceId, network }: LinkPhoneProps): ReactNode {
  const t = useTexts('numbers');
  // A QR code is replaced within seconds, and the phone cannot use a replaced one.
  const { data: qr, error } = useQuery({ ...qrQuery(workspaceId, instanceId), refetchInterval: 2_000 });
  const now = useNow();
  const { locale } = useLanguage();
  const isNotThere = isClientError(error) && error.code === 'QR_NOT_AVAILABLE';
  if (error !== null && !isNotThere) return <ErrorView error={error} />;
  const leftMs = qr ? Date.parse(qr.expires_at) - now : 0;
  const isShown = qr !== undefined && !isNotThere && leftMs > 0;
  return (
    <div className={styles['link']}>
      <div className={styles['code']}>
        {isShown ? <QrPicture text={qr.code} label={t.qrAlt} /> : <p role="status">{t.qrNone}</p>}
      </div>
      <div className={styles['steps']}>
        <ol className={styles['list']}>
          {t
            .scanSteps(network?.title ?? '')
            .split('\n')
            .map((step) => (
              <li key={step}>{step}</li>
            ))}
        </ol>
        {isShown && (
          <p className={styles['quiet']}>
            {t.qrExpires} {distanceText(locale, leftMs)}
          </p>
        )}
        {isShown && qr.pairing_code !== null && (
          <div>
            <p className={styles['quiet']}>{t.pairingHint}</p>
            <p className={styles['pairing']}>
              <Id value={qr.pairing_code} shown={inGroups(qr.pairing_code)} label={t.pairingCode} />
            </p>
          </div>
        )}
        {network?.linking.includes('pairing_code') !== false && (
          <TypeInstead workspaceId={workspaceId} instanceId={instanceId} />
        )}
      </div>
    </div>
  );
}

/** As phones show it: `ABCD-1234`. */
function inGroups(pairingCode: string): string {
  return pairingCode.replace(/^(\w{4})(\w{4})$/, '$1-$2');
}

/** For a phone that cannot scan this screen. */
function TypeInstead({ workspaceId, instanceId }: Omit<LinkPhoneProps, 'network'>): ReactNode {
  const t = useTexts('numbers');
  const queries = useQueryClient();
  const [phone, setPhone] = useState('');
  const ask = useMutation({
    mutationFn: async () => {
      const { instances } = clientOf(workspaceId);
      // The network gives out a code only on a new connection.
      unwrap(await instances.disconnect(instanceId));
      return unwrap(await instances.connect(instanceId, { pairing_phone_number: phone }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'numbers') }),
  });
  return (
    <details>
      <summary className={styles['summary']}>{t.typeInstead}</summary>
      <Form onSubmit={() => ask.mutate()} error={ask.error}>
        <Field name="pairing_phone_number" label={t.typePhone} hint={t.typePhoneHint}>
          <input
            type="tel"
            autoComplete="off"
            value={phone}
            onChange={(event) => setPhone(event.target.value)}
          />
        </Field>
        <div>
          <Button type="submit" isBusy={ask.isPending}>
            {t.typeCode}
          </Button>
        </div>
      </Form>
    </details>
  );
}
