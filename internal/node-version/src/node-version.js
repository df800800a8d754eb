// Written in JavaScript that old versions run, because a Node that is too old has to run this file.

/** The version in `engines` of the published packages. */
export const NEEDED_NODE = '22.19';

/** See node-version.d.ts. */
export function nodeVersionProblem(runtime) {
  const { versions = {}, execPath } = runtime.process ?? {};
  if (versions.node === undefined || !isNode(versions, runtime.navigator)) return undefined;
  if (isAtLeast(versions.node, NEEDED_NODE)) return undefined;
  const where = execPath ? ` (${execPath})` : '';
  return `Trunkline needs Node.js ${NEEDED_NODE} or newer, but this is Node.js ${versions.node}${where}.`;
}

/**
 * Bun, Deno and workers also name a version of Node, whose modules they imitate. Node has had a `navigator` since 21.
 */
function isNode(versions, navigator) {
  if (versions.bun !== undefined || versions.deno !== undefined) return false;
  const agent = navigator?.userAgent;
  return agent === undefined || agent.startsWith('Node.js/');
}

function isAtLeast(version, needed) {
  const [major, minor] = version.split('.').map(Number);
  const [neededMajor, neededMinor] = needed.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
