import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type {} from './build-programs.ts';

/**
 * Returns the file to start for a TypeScript program of a package: a bundle of this run's sources, like the published
 * one. With `FROM_SOURCES=1`, returns the program itself, so that stacks and breakpoints refer to the sources.
 */
export async function builtProgram(program: URL): Promise<string> {
  const source = fileURLToPath(program);
  if (process.env['FROM_SOURCES'] === '1') return source;
  const socket = connect(inject('programsPort'), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(source);
  const { path, problem } = JSON.parse(await text(socket)) as { path?: string; problem?: string }; // safe: build-programs.ts writes this
  if (path === undefined) throw new Error(`${source} could not be built: ${problem}`);
  return path;
}
