import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { useEntries } from './entries.ts';
import styles from './shortcuts.module.css';

/** How long after `g` a letter still counts. */
const SECOND_KEY_MS = 1_500;

/** Keyboard shortcuts: `/` focuses the search field, `g` and a letter open a page, `?` lists the shortcuts. */
export function Shortcuts({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const navigate = useNavigate();
  const entries = useEntries(workspaceId);
  const [isListed, setListed] = useState(false);

  useEffect(() => {
    let goSince = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const entry =
        event.timeStamp - goSince < SECOND_KEY_MS && entries.find(({ letter }) => letter === event.key);
      goSince = event.key === 'g' ? event.timeStamp : -Infinity;
      if (entry) {
        event.preventDefault();
        void navigate({ to: entry.to, params: entry.params });
      } else if (event.key === '?') setListed(true);
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (!field) return;
        event.preventDefault();
        field.focus();
        field.select();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [entries, navigate]);

  return (
    <Dialog isOpen={isListed} onClose={() => setListed(false)} title={t.shortcuts}>
      <dl className={styles['list']}>
        {entries.map(({ name, letter }) => (
          <Shortcut key={name} keys={t.shortcutThen('g', letter)} meaning={t[name]} />
        ))}
        {entries.some(({ name }) => name === 'chats') && (
          <>
            <Shortcut keys={t.shortcutOr('j', 'k')} meaning={t.shortcutChat} />
            <Shortcut keys="r" meaning={t.shortcutReply} />
            <Shortcut keys="Esc" meaning={t.shortcutBack} />
          </>
        )}
        <Shortcut keys="⌘K, Ctrl+K" meaning={t.shortcutSearchAll} />
        <Shortcut keys="/" meaning={t.shortcutSearch} />
        <Shortcut keys="?" meaning={t.shortcutHelp} />
      </dl>
      <h3>{t.namesInApi}</h3>
      <dl className={styles['list']}>
        <Shortcut keys="instance · ins_…" meaning={t.numberHere} />
        <Shortcut keys="workspace · ten_…" meaning={t.workspace} />
        <Shortcut keys="counterpart · con_…, grp_…" meaning={t.counterpartHere} />
        <Shortcut keys="webhook · wh_…" meaning={t.webhookHere} />
        <Shortcut keys="delivery · whd_…" meaning={t.deliveryHere} />
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, meaning }: { readonly keys: string; readonly meaning: string }): ReactNode {
  return (
    <div className={styles['shortcut']}>
      <dt>{meaning}</dt>
      <dd>
        <kbd>{keys}</kbd>
      </dd>
    </div>
  );
}

/** Whether the target is in a field, a menu or a dialog, where keys have other meanings. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input, textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"], [role="menu"]',
    ) !== null
  );
}
