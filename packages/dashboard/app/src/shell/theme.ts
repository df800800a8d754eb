import { keepChoice, keptChoice } from './kept-choice.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function keptTheme(): Theme {
  return keptChoice('theme', THEMES) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  keepChoice('theme', theme);
  applyTheme(theme);
}
