import * as z from 'zod';

/** An object of the API, under its name in the OpenAPI document. */
export interface Resource<Shape = unknown> {
  readonly name: string;
  readonly schema: z.ZodType<Shape>;
  readonly example: Shape;
}

/** The JSON body of a response, under its name in the OpenAPI document. */
export interface ResponseBody {
  readonly name: string;
  /** Strict: an extra field is an error. */
  readonly schema: z.ZodType;
  readonly description: string;
  readonly example: object;
  /** The resource in the body, which the document describes separately. */
  readonly resource?: Resource;
}

/** `{ "data": … }` */
export function one(resource: Resource, description: string): ResponseBody {
  const { name, schema, example } = resource;
  return {
    name: `${name}Response`,
    schema: z.strictObject({ data: schema }),
    description,
    example: { data: example },
    resource,
  };
}

/** `{ "data": [ … ] }` with more fields next to `data`. */
export function list(
  resource: Resource,
  description: string,
  beside: { readonly schemas: z.ZodRawShape; readonly example: object } = { schemas: {}, example: {} },
): ResponseBody {
  const { name, schema, example } = resource;
  return {
    name: `${name}List`,
    schema: z.strictObject({ data: z.array(schema), ...beside.schemas }),
    description,
    example: { data: [example], ...beside.example },
    resource,
  };
}

export function page(...given: Required<Parameters<typeof list>>): ResponseBody {
  const [{ name }] = given;
  return { ...list(...given), name: `${name}Page` };
}
