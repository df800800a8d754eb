import type { NetworkResource } from '@trunkline/core';
import { CAPABILITIES } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import type { Resource } from './response-body.ts';

export const network: Resource<NetworkResource> = {
  name: 'Network',
  schema: exactSchema<NetworkResource>()(
    z.strictObject({
      name: z.string().meta({ description: 'The `network` of its instances.' }),
      title: z.string().meta({ description: 'Its name for people.' }),
      capabilities: z.array(z.enum(CAPABILITIES)),
      linking: z.array(z.enum(['qr', 'pairing_code', 'credentials'])).meta({
        description:
          'How a number is linked: by scanning a QR, by typing a code, or by giving its instance credentials.',
      }),
      credentials: z
        .array(
          z.strictObject({
            name: z.string(),
            secret: z.boolean().meta({ description: 'Whether forms hide it while it is typed.' }),
            required: z.boolean(),
            about: z.string().meta({ description: 'Which value it is, and where to find it.' }),
          }),
        )
        .meta({
          description:
            'The values that an instance is given as credentials; empty if it is not linked by credentials.',
        }),
      simulated: z.boolean().meta({ description: 'Whether requests control its phones.' }),
      default: z.boolean().meta({ description: 'Whether an instance without a network is on it.' }),
    }),
  ),
  example: {
    name: 'whatsapp',
    title: 'WhatsApp',
    capabilities: [...CAPABILITIES],
    linking: ['qr', 'pairing_code'],
    credentials: [],
    simulated: false,
    default: true,
  },
};
