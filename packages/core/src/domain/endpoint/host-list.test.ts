import fc from 'fast-check';
import { expect, it } from 'vitest';
import { flawInHostEntry, hostList } from './host-list.ts';

it.each([
  'n8n',
  'my_app-1',
  'N8N.Default.svc.cluster.local',
  'n8n.',
  '*.internal.example.com',
  '*.internal',
  'bücher.example',
  'localhost',
  '10.1.2.3',
  '10.0.0.0/8',
  '10.1.2.3/8',
  '0.0.0.0/0',
  '169.254.169.254',
  '::1',
  'FD00::/8',
  '::/0',
  'fe80::/10',
])('%s is an entry', (entry) => {
  expect(flawInHostEntry('allow', entry)).toBeUndefined();
  expect(flawInHostEntry('deny', entry)).toBeUndefined();
});

it.each([
  '',
  ' ',
  '*',
  '*.',
  '*n8n',
  'n8n.*',
  '*.*.example.com',
  'a b',
  'n8n:5678',
  'http://n8n',
  'n8n/hook',
  'user@n8n',
  '[::1]',
  'n8n?',
  'n8n#',
  'n8n%2e',
  'n8n\\a',
  '.n8n',
  'a..b',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}a`,
  '127.1',
  '0x7f.1',
  '2130706433',
  '10.0.0',
  '*.0.0.1',
  '10.0.0.256',
  '010.0.0.1',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.1-10.0.0.9',
  'fd00::/129',
  'fe80::1%eth0',
  'n8n/8',
])('%j is refused with the form of a valid entry', (entry) => {
  for (const list of ['allow', 'deny'] as const)
    expect(flawInHostEntry(list, entry)).toMatch(/^is not a host name \(n8n/);
  expect(() => hostList(['n8n', entry])).toThrow(RangeError);
});

it.each(['::ffff:10.0.0.1', '::ffff:0:0/96', '::ffff:10.0.0.0/104', '64:ff9b::/96', '64:ff9b::a00:1'])(
  '%s is refused with what to list instead',
  (entry) => {
    for (const list of ['allow', 'deny'] as const)
      expect(flawInHostEntry(list, entry)).toMatch(/list that IPv4 address or range$/);
  },
);

it.each(['2002::/16', '2002:a00:1::/48', '2001::/32', '64:ff9b:1::/48', '::a00:1', '2606:4700::5efe:a00:1'])(
  '%s would allow nothing, and may be denied',
  (entry) => {
    expect(flawInHostEntry('allow', entry)).toMatch(/never allowed$/);
    expect(flawInHostEntry('deny', entry)).toBeUndefined();
  },
);

it('a list of hosts decides about any text without throwing', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%x*/-n'.split('')) }),
  );
  fc.assert(
    fc.property(text, (entry) => {
      const flaw = flawInHostEntry('deny', entry);
      if (flaw === undefined) hostList([entry]);
    }),
    { numRuns: 1_000 },
  );
});
