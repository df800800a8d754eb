import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../src/openapi/open-api-document.ts';

/** A part of the document that describes a shape, for tests to read freely: a missing field fails the test. */
export interface Declared {
  readonly $ref?: string;
  readonly name?: string;
  readonly required?: boolean;
  readonly headers?: Readonly<Record<string, Declared>>;
  readonly parameters?: readonly Declared[];
  readonly content?: Readonly<Record<string, unknown>>;
}

const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument('/api/v1')));
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv, ['date-time', 'binary']);
ajv.addSchema({ ...DOCUMENT, $id: 'openapi.json' });
const validators = new Map<string, ValidateFunction>();

/** Returns a validator for a schema of the OpenAPI document. */
export function validatorAt(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known !== undefined) return known;
  const validate = ajv.compile({ $ref: `openapi.json${encodeURI(pointer)}` });
  validators.set(pointer, validate);
  return validate;
}

export function declaredAt(pointer: string | undefined): Declared | undefined {
  if (pointer === undefined) return undefined;
  const names = pointer
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((found, name) => found?.[name], DOCUMENT);
}

export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
