import type { VoteResource } from '@trunkline/core';
import * as z from 'zod';
import { BY_ADA, deed } from './deeds.ts';
import { exactSchema } from './exact-schema.ts';
import { pageOfLinks } from './page.ts';
import { page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

export const vote: Resource<VoteResource> = {
  name: 'Vote',
  schema: exactSchema<VoteResource>()(
    z.strictObject({
      options: z.array(z.string()).meta({
        description: 'The chosen answers, as the poll has them; empty if the vote was taken back.',
      }),
      ...deed,
    }),
  ),
  example: { options: ['Friday'], ...BY_ADA },
};

export const votePage: ResponseBody = page(vote, 'A page of votes', pageOfLinks('votes'));
