/** A changeset in the form of `changeset status --output`. */
export interface Changeset {
  readonly summary: string;
  readonly releases: readonly { readonly name: string; readonly type: string }[];
}

export interface Release {
  readonly version: string;
  /** Such as 2026-12-01. */
  readonly date: string;
  readonly changesets: readonly Changeset[];
}

const BREAKING = /^Breaking: /;
const NEEDS_A_STOP = /^Needs a stop: /m;

/** The section of a release in CHANGELOG.md. docs/releases.md explains its parts. */
export function releaseNotes({ version, date, changesets }: Release): string {
  const isBreaking = ({ summary }: Changeset): boolean => BREAKING.test(summary);
  const isMinor = ({ releases }: Changeset): boolean => releases.some(({ type }) => type !== 'patch');
  const others = changesets.filter((changeset) => !isBreaking(changeset));
  return [
    `## ${version} (${date})`,
    changesets.some(({ summary }) => NEEDS_A_STOP.test(summary))
      ? 'Upgrade: stop all processes first, see *Needs a stop* below and [docs/cluster.md](docs/cluster.md#upgrades-without-downtime).'
      : 'Upgrade: rolling, see [docs/cluster.md](docs/cluster.md#upgrades-without-downtime).',
    ...section('Breaking', changesets.filter(isBreaking)),
    ...section('New', others.filter(isMinor)),
    ...section(
      'Fixed',
      others.filter((changeset) => !isMinor(changeset)),
    ),
  ].join('\n\n');
}

/** Puts the new release first. */
export function withRelease(changelog: string, notes: string): string {
  const firstRelease = changelog.search(/^## /m);
  if (firstRelease < 0) return `${changelog.trimEnd()}\n\n${notes}\n`;
  return `${changelog.slice(0, firstRelease)}${notes}\n\n${changelog.slice(firstRelease)}`;
}

function section(title: string, changesets: readonly Changeset[]): readonly string[] {
  return changesets.length === 0 ? [] : [`### ${title}`, changesets.map(item).join('\n')];
}

function item({ summary, releases }: Changeset): string {
  const names = releases.map(({ name }) => name.replace('@trunkline/', '')).toSorted();
  const text = summary
    .trim()
    .replace(BREAKING, '')
    .replaceAll(/\n(?=[^\n])/g, '\n  ');
  return `- **${names.join(', ')}**: ${text}`;
}
