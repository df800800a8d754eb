import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

export function readmeProgram(heading: string): string {
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return readmeProgramOf(heading, /```js\n(.*?)```/s.exec(section)?.[1]);
}

export function readmeFunction(name: string): string {
  const programs = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, program]) => program);
  return readmeProgramOf(
    name,
    programs.find((program) => program?.includes(`function ${name}(`)),
  );
}

/** The program must not import packages. */
export async function importProgram(program: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(program)}`);
}

function readmeProgramOf(name: string, program: string | undefined): string {
  if (program === undefined) throw new Error(`The README has no program for ${name}.`);
  return program;
}
