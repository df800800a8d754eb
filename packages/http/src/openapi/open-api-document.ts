import { createDocument } from 'zod-openapi';
import type { ZodOpenApiOverride, ZodOpenApiPathsObject } from 'zod-openapi';
import type * as z from 'zod';
import { ROUTES } from '../routes/all-routes.ts';
import { ANSWERS } from '../schemas/answers.ts';
import { apiKey } from '../schemas/api-key.ts';
import { delivery, deliveryDetail } from '../schemas/deliveries.ts';
import { errorBody } from '../schemas/errors.ts';
import { group, instance, qr } from '../schemas/instances.ts';
import { message } from '../schemas/messages.ts';
import { webhook, webhookWithSecret } from '../schemas/webhooks.ts';
import { errorComponents, errorExamples } from './error-answers.ts';
import { HEADER_COMPONENTS } from './headers.ts';
import { operation } from './operation.ts';
import { PARAMETER_COMPONENTS } from './parameters.ts';
import { INPUT_SCHEMAS } from './request-bodies.ts';
import { ALL_TAGS } from './tags.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

const RESOURCES: Readonly<Record<string, z.ZodType>> = {
  ApiKey: apiKey,
  Instance: instance,
  Qr: qr,
  Group: group,
  Message: message,
  Webhook: webhook,
  WebhookWithSecret: webhookWithSecret,
  Delivery: delivery,
  DeliveryDetail: deliveryDetail,
  Error: errorBody,
};

/** The OpenAPI 3.1 document of the API as it stands at `server`, an address or a path. */
export function openApiDocument(server: string): OpenApiDocument {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Trunkline',
        version: '1.0.0',
        summary: 'Messages over linked phone numbers, and signed webhooks about them',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: server }],
      tags: [...ALL_TAGS],
      paths: paths(),
      components: {
        schemas: { ...RESOURCES, ...answers(), ...INPUT_SCHEMAS },
        responses: errorComponents(ROUTES),
        examples: errorExamples(ROUTES),
        headers: { ...HEADER_COMPONENTS },
        parameters: { ...PARAMETER_COMPONENTS },
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key of one workspace. Each operation names the scope that the key must have.',
          },
        },
      },
    },
    { override: plainly },
  );
}

const INTRODUCTION =
  `Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. Single objects are wrapped as
\`{ "data": { … } }\`, lists as \`{ "data": [ … ] }\`. Errors are \`{ "error": { "code", "message", "request_id" } }\`: branch on
the code. A query parameter that an operation does not know is refused with \`VALIDATION_FAILED\`. Fields may be added to answers without notice, so ignore those that you do not know.`.replaceAll(
    '\n',
    ' ',
  );

function paths(): ZodOpenApiPathsObject {
  const found: ZodOpenApiPathsObject = {};
  for (const route of ROUTES) {
    found[route.path] = { ...found[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return found;
}

function answers(): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(ANSWERS).map(([name, { schema }]) => [name, schema]));
}

/**
 * The schemas of answers are strict, so that a test sees a field too many. Clients are told otherwise: "Optional fields
 * may be added to responses" (specification, "Versioning"). And what numbers JavaScript can count to is not their concern.
 */
const plainly: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  if (zodSchema._zod.def.type === 'object' && jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties;
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};
