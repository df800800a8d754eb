import { lazy, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { WhenOpened } from '../components/when-opened.tsx';
import { currentLanguage } from '../texts/current-language.ts';
import { loadAreas } from '../texts/loaded-texts.ts';

const SearchPopup = lazy(async () => {
  const [{ SearchPopup: component }] = await Promise.all([
    import('./search-popup.tsx'),
    loadAreas(currentLanguage(), ['search']),
  ]);
  return { default: component };
});

/** Returns the search, to render once, and a function that opens it, as ⌘K and Ctrl+K do. */
export function useSearch(workspaceId: string | null): { readonly search: ReactNode; openSearch(): void } {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isWanted = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      if (!isWanted || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const search = (
    <WhenOpened isOpen={isOpen}>
      <SearchPopup workspaceId={workspaceId} isOpen={isOpen} onClose={() => setOpen(false)} />
    </WhenOpened>
  );
  return { search, openSearch: () => setOpen(true) };
}
