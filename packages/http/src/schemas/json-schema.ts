import type { oas31 } from 'zod-openapi';

/** OpenAPI 3.1 takes JSON Schema 2020-12. */
export type JsonSchema = Extract<oas31.SchemaObject, object>;
