import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signInSearch } from '../app/src/pages/sign-in/search.ts';

/** The address that the browser opens after signing in, if the dashboard is at the root of its host. */
const goesTo = (next: string): URL => new URL(signInSearch({ next }).next ?? '/', 'https://here.example');

describe('the page after the sign-in', () => {
  it.each(['/', '/w/wsp_1/messages?status=failed#top', '/a//b', '/.//evil.example'])(
    'is the one that was asked for: %j',
    (next) => {
      expect(signInSearch({ next })).toEqual({ next });
      expect(goesTo(next).origin).toBe('https://here.example');
    },
  );

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example/',
    '/\n\\evil.example',
    '/\r/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    ' //evil.example',
    '',
  ])('is the first page instead of another site: %j', (next) => {
    expect(signInSearch({ next })).toEqual({});
  });

  it('is on the same site, whatever the address contains', () => {
    const part = fc.constantFrom('/', '\\', '\t', '\n', '\r', ' ', ':', '@', '.', 'evil.example', 'https');
    const address = fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(address, (next) => {
        expect(goesTo(next).origin).toBe('https://here.example');
      }),
    );
  });
});
