import { CommandError, EXIT } from '../errors/command-error.ts';
import type { CommandHandler } from './command.ts';
import { checkShape, serviceUrlOf, unreachable } from './remote-service.ts';
import { createServiceFetch, timeoutIn } from './service-fetch.ts';
import { anyObject } from './service-shapes.ts';

/** Needs no API key. */
export const openapiCommand: CommandHandler = async (call) => {
  const { environment, output, signal } = call;
  const url = await serviceUrlOf(call);
  const request = createServiceFetch(url, timeoutIn(environment));
  const document = await request(`${url}/api/v1/openapi.json`, { signal })
    .then((response) => (response.ok ? documentIn(response) : null))
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      throw unreachable(url, cause);
    });
  if (document === null || !('openapi' in document))
    throw new CommandError(`${url} has no API of Trunkline: check --url.`, {
      exitCode: EXIT.unreachable,
      code: 'UNEXPECTED_RESPONSE',
    });
  checkShape(url, document, anyObject);
  output.result(document, JSON.stringify(document, undefined, 2));
};

/** Null if the body is not a JSON object. Rejects if the response breaks off. */
async function documentIn(response: Response): Promise<object | null> {
  const text = await response.text();
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' ? document : null;
  } catch {
    return null;
  }
}
