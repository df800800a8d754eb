import { useTexts } from '../texts/language.tsx';
import { useToasts } from './toasts.tsx';

/** Copies a text and shows whether that succeeded: browsers may refuse. */
export function useCopy(): (text: string) => Promise<void> {
  const t = useTexts('common');
  const { say } = useToasts();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      say(t.copied);
    } catch {
      say(copiedBySelection(text) ? t.copied : t.copyFailed);
    }
  };
}

/** The deprecated method, which also works over plain http. */
function copiedBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  const parent = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document.body;
  const focused = document.activeElement;
  parent.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
