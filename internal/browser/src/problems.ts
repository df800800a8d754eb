import type { ConsoleMessage, Page } from 'playwright-core';

/** The problems of a page: errors, violations of its content security policy, failed requests. */
export interface Problems {
  /** The problems that were neither expected nor allowed, oldest first. */
  readonly list: () => readonly string[];
  /** Expects problems with this text. The test fails at its end if there was none. */
  expect(text: RegExp): void;
  /** Ignores problems with this text, which may or may not occur, as in a harmless race. */
  allow(text: RegExp): void;
}

interface CheckedProblems extends Problems {
  /** Throws if the page had an unexpected problem, or lacked an expected one. */
  check(): void;
}

/**
 * Watches a page, starting before its first document. Each call of the returned function starts over, for another test.
 */
export async function watch(page: Page): Promise<() => CheckedProblems> {
  let found: string[] = [];
  page.on('pageerror', (error) => found.push(`error: ${error.stack || error.message}`));
  page.on('console', (message) => {
    if (isComplaint(message)) found.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // A page aborts its own requests when it navigates.
    if (reason !== 'net::ERR_ABORTED') found.push(`request: ${request.url()}: ${reason}`);
  });
  await page.exposeFunction('trunklineViolation', (violation: string) => found.push(violation));
  await page.addInitScript(REPORT_VIOLATIONS);
  return () => {
    found = [];
    return problemsIn(found);
  };
}

function problemsIn(found: readonly string[]): CheckedProblems {
  const expected: RegExp[] = [];
  const allowed: RegExp[] = [];
  const list = (): readonly string[] =>
    found.filter((one) => ![...expected, ...allowed].some((text) => text.test(one)));
  return {
    list,
    expect: (text) => void expected.push(text),
    allow: (text) => void allowed.push(text),
    check() {
      const unexpected = list();
      if (unexpected.length > 0) throw new Error(`The page has problems:\n${unexpected.join('\n')}`);
      const absent = expected.find((text) => !found.some((one) => text.test(one)));
      if (absent) throw new Error(`The page was to have a problem like ${absent}, and had none.`);
    },
  };
}

function isComplaint(message: ConsoleMessage): boolean {
  return ['error', 'warning', 'assert'].includes(message.type()) && !LATE_PRELOAD.test(message.text());
}

/**
 * Chromium's warning that a preload was not used soon. It is ignored, because a busy machine may only use the
 * preload later.
 */
const LATE_PRELOAD = /was preloaded using link preload but not used within a few seconds/;

/** A string, because the code runs in the page. */
const REPORT_VIOLATIONS = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
    trunklineViolation('policy: ' + violatedDirective + ' forbids ' + blockedURI + ' (' + sourceFile + ':' + lineNumber + ')');
  });`;
