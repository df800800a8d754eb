import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { classes } from '../components/class-names.ts';
import { ErrorView } from '../components/error-view.tsx';
import { Icon } from '../components/icon.tsx';
import { useTexts } from '../texts/language.tsx';
import styles from './search-popup.module.css';
import type { SearchTarget, TargetGroup } from './search-target.ts';
import { useSearchTargets } from './use-search-targets.ts';

interface SearchPopupProps {
  readonly workspaceId: string | null;
  readonly isOpen: boolean;
  onClose(): void;
}

const TEXT_MAX = 100;
const GROUPS: readonly TargetGroup[] = ['open', 'pages', 'numbers', 'webhooks', 'people', 'messages'];

/** One field for pages, numbers, webhooks, people, ids and the words of messages. */
export function SearchPopup({ workspaceId, isOpen, onClose }: SearchPopupProps): ReactNode {
  const t = useTexts('search');
  const navigate = useNavigate();
  /** Whether a place was chosen: then the heading of its page gets the focus. */
  const hasChosen = useRef(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['backdrop']} />
        <Dialog.Popup
          className={styles['popup']}
          aria-label={t.title}
          finalFocus={() => {
            const wasChosen = hasChosen.current;
            hasChosen.current = false;
            return !wasChosen;
          }}
        >
          <Search
            workspaceId={workspaceId}
            onChoose={({ to, params, search }) => {
              hasChosen.current = true;
              onClose();
              void navigate({ to, params, ...(search && { search }) });
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A combobox with a list (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). */
function Search({
  workspaceId,
  onChoose,
}: {
  readonly workspaceId: string | null;
  onChoose(target: SearchTarget): void;
}): ReactNode {
  const t = useTexts('search');
  const id = useId();
  const [text, setText] = useState('');
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const { targets, messages, isSearching } = useSearchTargets(workspaceId, text);
  const shown = GROUPS.flatMap((group) => targets.filter((target) => target.group === group));
  const activeIndex = Math.max(0, shown.findIndex(({ key }) => key === chosenKey)); // prettier-ignore
  const active = shown[activeIndex];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosenKey(shown[(activeIndex + step + shown.length) % shown.length]?.key ?? null);
    } else if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onChoose(active);
    }
  };
  return (
    <>
      <div className={styles['field']}>
        <Icon name="search" />
        <input
          role="combobox"
          aria-label={t.label}
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && `${id}-${activeIndex}`}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={TEXT_MAX}
          placeholder={t.label}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosenKey(null);
          }}
          onKeyDown={onKeyDown}
        />
        <Dialog.Close className={styles['close']}>
          Esc<span className="unseen">, {t.close}</span>
        </Dialog.Close>
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t.results} className={styles['list']}>
        {GROUPS.map((group) => {
          const ofGroup = shown.filter((target) => target.group === group);
          if (ofGroup.length === 0) return null;
          return (
            <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
              <p id={`${id}-${group}`} role="presentation" className={styles['title']}>
                {t.groups[group]}
              </p>
              {ofGroup.map((target) => {
                const index = shown.indexOf(target);
                return (
                  <Option
                    key={target.key}
                    id={`${id}-${index}`}
                    target={target}
                    isActive={index === activeIndex}
                    onChoose={() => onChoose(target)}
                  />
                );
              })}
            </div>
          );
        })}
      </div>
      {messages.error !== null && text.trim() !== '' && (
        <div className={styles['error']}>
          <ErrorView error={messages.error} onRetry={messages.refetch} isRetrying={messages.isFetching} />
        </div>
      )}
      <p role="status" className={styles['status']}>
        {isSearching ? t.searching : t.count(shown.length)}
      </p>
    </>
  );
}

function Option({
  id,
  target: { icon, label, detail },
  isActive,
  onChoose,
}: {
  readonly id: string;
  readonly target: SearchTarget;
  readonly isActive: boolean;
  onChoose(): void;
}): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isActive}
      className={classes(styles['option'], isActive && styles['active'])}
      onClick={onChoose}
    >
      <Icon name={icon} />
      <bdi className={styles['label']}>{label}</bdi>
      {detail !== undefined && <bdi className={styles['detail']}>{detail}</bdi>}
    </div>
  );
}
