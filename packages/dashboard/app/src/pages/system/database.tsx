import type { ReactNode } from 'react';
import type { SystemResource } from '../../../../src/schemas/admin.ts';
import { Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { sizeText } from '../../components/size-text.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';

export function Database({ system: { storage, version } }: { readonly system: SystemResource }): ReactNode {
  const t = useTexts('system');
  const { locale } = useLanguage();
  const { database, schema_version, size_bytes } = storage;
  return (
    <Panel title={t.database}>
      <Facts
        facts={[
          { name: t.product, value: database },
          { name: t.size, value: size_bytes === null ? t.inMemory : sizeText(locale, size_bytes) },
          { name: t.schema, value: schema_version },
          { name: t.version, value: version },
        ]}
      />
    </Panel>
  );
}
