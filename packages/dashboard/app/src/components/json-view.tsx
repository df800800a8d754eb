import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { Button } from './button.tsx';
import { useCopy } from './copy.ts';
import { cut, isParent, openAtFirst, PAGE, visible } from './json-values.ts';
import styles from './json-view.module.css';

const NAME_CHARACTERS = 200;
const TEXT_CHARACTERS = 2_000;
/** Deeper values are not indented further, so that they stay on the screen. */
const INDENTED_DEPTH = 8;

export interface JsonViewProps {
  readonly label: string;
  readonly value: unknown;
  /** The copied text; by default, the value with two spaces of indentation. */
  readonly text?: string;
}

/** A value of JSON as a tree of disclosure buttons. Draws a bounded part at a time, whatever the value's size is. */
export function JsonView({ label, value, text }: JsonViewProps): ReactNode {
  const { copy: copyWord } = useTexts('common');
  const copy = useCopy();
  const open = useMemo(() => openAtFirst(value), [value]);
  return (
    <div role="group" aria-label={label} className={styles['view']} dir="ltr">
      <Button
        icon="copy"
        className={styles['copy']}
        aria-label={`${copyWord} ${label}`}
        onClick={() => void copy(text ?? JSON.stringify(value, null, 2))}
      >
        {copyWord}
      </Button>
      <ul className={styles['values']}>
        <Value value={value} depth={0} open={open} />
      </ul>
    </div>
  );
}

interface ValueProps {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
  readonly open: ReadonlySet<unknown>;
}

function Value({ name, value, depth, open }: ValueProps): ReactNode {
  const label = name !== undefined && (
    <>
      <bdi className={styles['name']}>{visible(cut(name, NAME_CHARACTERS))}</bdi>
      {': '}
    </>
  );
  if (isParent(value)) return <Parent label={label} value={value} depth={depth} open={open} />;
  return (
    <li>
      {label}
      {typeof value === 'string' ? <Text text={value} /> : <Plain value={value} />}
    </li>
  );
}

function Parent({
  label,
  value,
  depth,
  open,
}: Omit<ValueProps, 'name'> & { readonly label: ReactNode; readonly value: object }): ReactNode {
  const t = useTexts('json');
  const [isOpen, setOpen] = useState(() => open.has(value));
  const [shown, setShown] = useState(PAGE);
  const names = useMemo(() => Object.keys(value), [value]);
  const count = Array.isArray(value) ? t.items(names.length) : t.fields(names.length);
  if (names.length === 0) {
    return (
      <li>
        {label}
        <span className={styles['count']}>{count}</span>
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        className={styles['toggle']}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        <span className={styles['count']}>{count}</span>
      </button>
      {isOpen && (
        <ul className={styles[depth < INDENTED_DEPTH ? 'values' : 'deep']}>
          {names.slice(0, shown).map((name) => (
            <Value key={name} name={name} value={Reflect.get(value, name)} depth={depth + 1} open={open} />
          ))}
          {names.length > shown && (
            <li>
              <More left={names.length - shown} onMore={() => setShown(shown + PAGE)} />
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function Text({ text }: { readonly text: string }): ReactNode {
  const [shown, setShown] = useState(TEXT_CHARACTERS);
  return (
    <>
      <bdi className={styles['text']}>{visible(JSON.stringify(cut(text, shown)))}</bdi>
      {text.length > shown && (
        <More left={text.length - shown} onMore={() => setShown(shown + TEXT_CHARACTERS)} />
      )}
    </>
  );
}

function Plain({ value }: { readonly value: unknown }): ReactNode {
  return <span className={styles[typeof value === 'number' ? 'number' : 'word']}>{String(value)}</span>;
}

function More({ left, onMore }: { readonly left: number; onMore(): void }): ReactNode {
  const t = useTexts('json');
  const { locale } = useLanguage();
  return (
    <button type="button" className={styles['more']} onClick={onMore}>
      {t.more(new Intl.NumberFormat(locale).format(left))}
    </button>
  );
}
