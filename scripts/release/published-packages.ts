import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT: string = join(import.meta.dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface PublishedPackage {
  /** From the root of the repository: `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Every published package, dependencies first, so that each can be installed as soon as it is published. */
export function publishedPackages(): readonly PublishedPackage[] {
  const found = globSync('packages/*/package.json', { cwd: ROOT })
    .toSorted()
    .map((path) => ({ folder: dirname(path), manifest: readManifest(path) }))
    .filter(({ manifest }) => manifest.private !== true);
  const ordered = new Set<PublishedPackage>();
  const add = (each: PublishedPackage): void => {
    if (ordered.has(each)) return;
    const { dependencies, peerDependencies } = each.manifest;
    const needed = { ...dependencies, ...peerDependencies };
    for (const other of found) if (other.manifest.name in needed) add(other);
    ordered.add(each);
  };
  for (const each of found) add(each);
  return [...ordered];
}

/** The one version that all packages share. */
export function releaseVersion(): string {
  const versions = new Set(publishedPackages().map(({ manifest }) => manifest.version));
  const [version = ''] = versions;
  if (versions.size !== 1)
    throw new Error(`The packages have different versions: ${[...versions].join(', ')}. They share one.`);
  return version;
}

function readManifest(path: string): Manifest {
  // test/release.test.ts checks these fields of each package.json.
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;
}
