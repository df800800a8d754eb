import { flagOf } from '../src/settings/setting-names.ts';
import { allSettings } from '../src/settings/settings.ts';

const BEGIN = '<!-- settings: written by pnpm settings -->\n';
const END = '<!-- end of settings -->\n';

/** Returns `page`, the text of docs/running.md, with a table of all current settings. */
export function withSettingsTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`The page lacks ${BEGIN} or ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${settingsTable()}\n${page.slice(end)}`;
}

function settingsTable(): string {
  const rows = allSettings().map(
    ({ variable, byDefault, isSecret, meaning }) =>
      `| \`${variable}\` | ${isSecret ? '–' : `\`${flagOf(variable)}\``} | ${byDefault} | ${meaning} |`,
  );
  return ['| variable | flag | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}
