import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ROOT, publishedPackages, releaseVersion } from '../scripts/release/published-packages.ts';
import { releaseNotes, withRelease } from '../scripts/release/release-notes.ts';

const packages = publishedPackages();
const names = packages.map(({ manifest }) => manifest.name);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe.each(packages)('the package.json of $manifest.name', ({ folder, manifest }) => {
  it('has the fields that npm shows, and those that prove where the package was built', () => {
    expect(manifest).toMatchObject({
      version: releaseVersion(),
      description: expect.stringMatching(/^[A-Z`].{20,}[^.]$/),
      license: 'MIT',
      repository: {
        type: 'git',
        url: 'git+https://github.com/trunkline/trunkline.git',
        directory: folder,
      },
      files: expect.arrayContaining(['dist', 'README.md', 'LICENSE']),
      publishConfig: { access: 'public', provenance: true },
    });
    expect(existsSync(join(ROOT, folder, 'README.md'))).toBe(true);
  });

  it('depends on no unpublished package of this repository', () => {
    const needed = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
    const own = needed.filter(([, range]) => range.startsWith('workspace:')).map(([name]) => name);
    expect(own.filter((name) => !names.includes(name))).toEqual([]);
  });
});

test('packages are published after those that they depend on', () => {
  const places = packages.map(({ manifest }, place) => {
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    return needed.every((name) => names.indexOf(name) < place);
  });
  expect(places).toEqual(names.map(() => true));
  expect(names.length).toBeGreaterThan(10);
});

test('a changeset names only packages that are published: any other ends `changeset version`', () => {
  const unknown = globSync('.changeset/*.md', { cwd: ROOT }).flatMap((path) => {
    const [, header = ''] = read(path).split(/^---$/m);
    const named = Array.from(header.matchAll(/^['"]?([^'":]+)['"]?:/gm), ([, name = '']) => name);
    expect(named, path).not.toEqual([]);
    return named.filter((name) => !names.includes(name)).map((name) => `${path}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

test('the changelog begins with the version that the packages and the Helm chart have', () => {
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(releaseVersion());
  expect(read('deploy/helm/trunkline/Chart.yaml')).toContain(`\nappVersion: ${releaseVersion()}\n`);
});

describe('the section of a release in the changelog', () => {
  const minor = { name: '@trunkline/core', type: 'minor' };
  const release = { version: '0.2.0', date: '2026-12-01' };

  it('says how to upgrade, then what breaks, what is new and what is fixed', () => {
    const notes = releaseNotes({
      ...release,
      changesets: [
        { summary: 'A file comes later.', releases: [{ name: 'trunkline', type: 'patch' }] },
        {
          summary: 'Polls can be sent.\n\nNot to channels.\n',
          releases: [{ name: 'trunkline', type: 'minor' }, minor],
        },
        { summary: 'Breaking: `send` returns a promise. Await it.', releases: [minor] },
      ],
    });
    expect(notes).toBe(
      [
        '## 0.2.0 (2026-12-01)',
        '',
        'Upgrade: rolling, see [docs/cluster.md](docs/cluster.md#upgrades-without-downtime).',
        '',
        '### Breaking',
        '',
        '- **core**: `send` returns a promise. Await it.',
        '',
        '### New',
        '',
        '- **core, trunkline**: Polls can be sent.',
        '',
        '  Not to channels.',
        '',
        '### Fixed',
        '',
        '- **trunkline**: A file comes later.',
      ].join('\n'),
    );
  });

  it('says that all processes have to be stopped, if one change requires it', () => {
    const summary = 'Queues are rows.\n\nNeeds a stop: processes of 0.1 write the old table.';
    const notes = releaseNotes({ ...release, changesets: [{ summary, releases: [minor] }] });
    expect(notes).toContain('\nUpgrade: stop all processes first, ');
    expect(notes).toContain('\n  Needs a stop: processes of 0.1 write the old table.');
  });

  it('is above those of earlier releases', () => {
    const first = withRelease('# Changelog\n\nAll packages.\n', '## 0.1.0');
    expect(first).toBe('# Changelog\n\nAll packages.\n\n## 0.1.0\n');
    expect(withRelease(first, '## 0.2.0')).toBe('# Changelog\n\nAll packages.\n\n## 0.2.0\n\n## 0.1.0\n');
  });
});
