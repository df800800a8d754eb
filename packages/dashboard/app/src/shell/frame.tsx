import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { WhenOpened } from '../components/when-opened.tsx';
import { LiveProvider } from '../live/live.tsx';
import { useTexts } from '../texts/language.tsx';
import { useCurrentWorkspace } from './current-workspace.ts';
import styles from './frame.module.css';
import { LiveIndicator } from './live-indicator.tsx';
import { SearchButton } from './search-button.tsx';
import { useSearch } from './search.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';
import { useWarmUp } from './use-warm-up.ts';

const DrawerPopup = lazy(async () => ({ default: (await import('./drawer-popup.tsx')).DrawerPopup }));

export function Frame(): ReactNode {
  const t = useTexts('shell');
  const workspaceId = useCurrentWorkspace();
  const main = useRef<HTMLElement>(null);
  useWarmUp();
  const { search, openSearch } = useSearch(workspaceId);
  return (
    <LiveProvider workspaceId={workspaceId}>
      <div className={styles['frame']}>
        <button type="button" className={styles['skip']} onClick={() => main.current?.focus()}>
          {t.skip}
        </button>
        {/* CSS shows one of these headers. */}
        <header className={styles['bar']}>
          <Drawer workspaceId={workspaceId} />
          <SearchButton onOpen={openSearch} />
          <LiveIndicator />
        </header>
        <header className={styles['side']}>
          <Sidebar workspaceId={workspaceId} search={<SearchButton onOpen={openSearch} />} />
        </header>
        <main ref={main} tabIndex={-1} className={styles['main']}>
          <Suspense>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {search}
      <Shortcuts workspaceId={workspaceId} />
    </LiveProvider>
  );
}

function Drawer({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <>
      <button
        type="button"
        className={styles['menu']}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon name="menu" />
        {t.menu}
      </button>
      <WhenOpened isOpen={isOpen}>
        <DrawerPopup isOpen={isOpen} onOpenChange={setOpen} label={t.menu}>
          <Sidebar workspaceId={workspaceId} />
        </DrawerPopup>
      </WhenOpened>
    </>
  );
}
