import { readFileSync } from 'node:fs';

/** The document whose example responses are those of a healthy service. */
const DOCUMENT = new URL('../../../http/openapi.json', import.meta.url);

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>
  >;
}

export interface ApiExample {
  readonly method: string;
  /** Matches the path below the base of the API. */
  readonly pattern: RegExp;
  readonly status: number;
  readonly body: unknown;
}

/** The successful responses of each operation. */
export function apiExamples(): readonly ApiExample[] {
  const { paths }: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const successes = Object.entries(responses).filter(([code]) => code.startsWith('2'));
      return successes.map(([status, { content }]) => {
        const body = content?.['application/json']?.example ?? null;
        return { method: method.toUpperCase(), pattern, status: Number(status), body };
      });
    }),
  );
}
