import { SCOPES } from '@trunkline/core';
import type { ApiKeyResource } from '@trunkline/core';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { id } from './fields.ts';
import type { Resource } from './response-body.ts';

export const apiKey: Resource<ApiKeyResource> = {
  name: 'ApiKey',
  schema: exactSchema<ApiKeyResource>()(
    z.strictObject({
      id: id('key'),
      name: z.string(),
      scopes: z.array(z.enum(SCOPES)).meta({ uniqueItems: true }),
      workspace: z.strictObject({ id: id('ten'), name: z.string() }),
    }),
  ),
  example: {
    id: 'key_01kaj2n3xdf5tbw9se3x0k2m4p',
    name: 'Shop',
    scopes: ['instances:read', 'messages:send'],
    workspace: { id: 'ten_01kaj2mwq0fz3as2h8v9c5t1rd', name: 'Acme' },
  },
};
