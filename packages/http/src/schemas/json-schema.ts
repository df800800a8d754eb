import type { oas31 } from 'zod-openapi';

/** A schema of OpenAPI 3.1: JSON Schema 2020-12. */
export type JsonSchema = Extract<oas31.SchemaObject, object>;
