import { invalid } from '@trunkline/core/spi/http';
import { TrunklineError } from '@trunkline/core';
import { dataResponse, nothingResponse } from '../json-response.ts';
import { signInInput } from '../schemas/session.ts';
import type { OpenSignIn } from '../sign-in/sign-in.ts';
import type { OwnRoute } from './own-route.ts';
import { sessionResource } from './session-routes.ts';
import type { SessionFacts } from './session-routes.ts';

export function signInRoutes(signIn: OpenSignIn, facts: SessionFacts): readonly OwnRoute[] {
  return [
    {
      method: 'POST',
      path: '/sign-in',
      access: 'anybody',
      async handle({ request, body }) {
        const input = signInInput.safeParse(body);
        if (!input.success)
          throw new TrunklineError(
            invalid({ body: ['Must have either api_key or token, of at most 1,000 characters.'] }).refusal,
          );
        const { api_key: apiKey, token } = input.data;
        const { session, cookie } = await signIn.signIn(
          request,
          apiKey === undefined ? { token: token ?? '' } : { apiKey },
        );
        return dataResponse(await sessionResource(facts, session), { 'Set-Cookie': cookie });
      },
    },
    {
      method: 'POST',
      path: '/sign-out',
      access: 'anybody', // also with a cookie whose session has ended
      async handle({ request }) {
        return nothingResponse({ 'Set-Cookie': await signIn.signOut(request) });
      },
    },
  ];
}
