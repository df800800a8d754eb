import { TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';
import { errorResponse } from './error-response.ts';

/** No such path. The key is not looked at: what does not exist is the same for everybody. */
export function notFound(requestId: string): Response {
  const { refusal } = refuse('NOT_FOUND', 'There is nothing at this path.');
  return errorResponse(new TrunklineError(refusal), { requestId });
}

/** The path exists, the method does not. OPTIONS is one of them: CORS is the embedder's, in front of this app. */
export function methodNotAllowed(requestId: string, allow: string): Response {
  const { refusal } = refuse('METHOD_NOT_ALLOWED', `The methods of this path are: ${allow}.`);
  return errorResponse(new TrunklineError(refusal), { requestId, headers: { Allow: allow } });
}
