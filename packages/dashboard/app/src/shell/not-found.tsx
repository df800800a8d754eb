import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from '../components/page.tsx';
import { useTexts } from '../texts/language.tsx';

export function NotFound(): ReactNode {
  const t = useTexts('shell');
  return (
    <Page title={t.notFound}>
      <EmptyState title={t.notFoundHint} action={<Link to="/">{t.toNow}</Link>} />
    </Page>
  );
}
