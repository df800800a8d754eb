// Packs every package and publishes those that npm does not have yet, so that the same command continues an interrupted
// release. Run by `pnpm release:publish`, after a build, with the options of `npm publish`, such as --dry-run. CI runs
// it for a tag (.github/workflows/release.yml); `pnpm check:packages` rehearses it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, publishedPackages, releaseVersion } from './published-packages.ts';

const run = promisify(execFile);
const options = process.argv.slice(2);
const version = releaseVersion();
const { GITHUB_REF_TYPE: kind, GITHUB_REF_NAME: tag } = process.env;
if (kind === 'tag' && tag !== `v${version}`)
  throw new Error(`The tag is ${tag}, but the packages have version ${version}: tag the commit that has it.`);

const tarballs = await mkdtemp(join(tmpdir(), 'trunkline-publish-'));
try {
  for (const { folder, manifest } of publishedPackages()) {
    const id = `${manifest.name}@${version}`;
    if (await isPublished(id)) {
      console.log(`${id}: is already published`);
      continue;
    }
    const tarball = join(tarballs, `${manifest.name.replaceAll(/\W/g, '-')}.tgz`);
    await run('pnpm', ['pack', '--out', tarball], { cwd: join(ROOT, folder) });
    await run('npm', ['publish', tarball, ...options], { cwd: tarballs });
    console.log(`${id}: ${options.includes('--dry-run') ? 'would be published' : 'published'}`);
  }
} finally {
  await rm(tarballs, { recursive: true, force: true });
}

/** Whether the registry has this version. Any error other than a 404 ends the program. */
async function isPublished(id: string): Promise<boolean> {
  try {
    const { stdout } = await run('npm', ['view', id, 'version', '--json'], { cwd: tarballs });
    return stdout.trim() !== '';
  } catch (error) {
    if (/\bE404\b/.test(String(Object(error).stderr))) return false;
    throw error;
  }
}
