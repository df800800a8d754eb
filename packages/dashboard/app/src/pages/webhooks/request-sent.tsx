import type { DeliveryDetailResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Facts } from '../../components/facts.tsx';
import { Id } from '../../components/id.tsx';
import { Json } from '../../components/json.tsx';
import { useTexts } from '../../texts/language.tsx';
import { bodyOf } from './request-text.ts';
import styles from './request-sent.module.css';

export function RequestSent({ request }: { readonly request: DeliveryDetailResource['request'] }): ReactNode {
  const t = useTexts('webhooks');
  const { url, headers, payload } = request;
  const body = bodyOf(request);
  return (
    <Facts
      facts={[
        { name: t.address, value: url && <Id value={url} label={t.address} /> },
        {
          name: t.headers,
          value: (
            <>
              <pre className={styles['text']}>
                {Object.entries(headers)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
              </pre>
              <p className={styles['quiet']}>{t.signedEachTime}</p>
            </>
          ),
        },
        {
          name: t.payload,
          value: body === null ? t.payloadNone : <Json label={t.payload} value={payload} text={body} />,
        },
      ]}
    />
  );
}
