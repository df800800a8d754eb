import { EXIT, CommandError } from './command-error.ts';
import type { CommandHandler } from './command.ts';
import { serviceUrlOf, unreachable } from './remote-service.ts';

/** The document of a running service: it needs no key. */
export const openapiCommand: CommandHandler = async (call) => {
  const url = await serviceUrlOf(call);
  const response = await fetch(`${url}/api/v1/openapi.json`, { signal: call.signal }).catch(
    (cause: unknown) => {
      call.signal.throwIfAborted();
      throw unreachable(url, cause);
    },
  );
  const document: unknown = response.ok ? await response.json().catch(() => null) : null;
  if (typeof document !== 'object' || document === null || !('openapi' in document))
    throw new CommandError(`${url} has no API of Trunkline: check --url.`, {
      exitCode: EXIT.unreachable,
      code: 'UNEXPECTED_RESPONSE',
    });
  call.output.result(document, JSON.stringify(document, undefined, 2));
};
