import { NodeApiError, NodeOperationError, sleep } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  JsonObject,
} from 'n8n-workflow';
import { isObject, readApiError, TrunklineApiError } from './api-error.ts';
import type { ApiError } from './api-error.ts';

export type ApiContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface ApiRequest {
  readonly method: IHttpRequestMethods;
  /** Relative to the base URL, with ids encoded; made by `path()`. */
  readonly path: string;
  readonly query?: IDataObject;
  /** An object, which is sent as JSON, or bytes of the content type in `headers`. */
  readonly body?: IDataObject | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The item whose parameters the request uses. */
  readonly itemIndex?: number;
}

/** Returns the JSON of the response: `{ data, … }`, or an empty object if the response has no body. */
export async function requestJson(context: ApiContext, request: ApiRequest): Promise<IDataObject> {
  const bytes = await requestBytes(context, request);
  if (bytes.length === 0) return {};
  const body = parseJson(bytes);
  if (!isObject(body))
    throw new TrunklineApiError(context.getNode(), readApiError(200, body), request.itemIndex);
  return body;
}

/** Returns the body of the response. Throws the API's error if the request was refused. */
export async function requestBytes(context: ApiContext, request: ApiRequest): Promise<Buffer> {
  const { body, error } = await tryRequest(context, request);
  if (error !== undefined) throw new TrunklineApiError(context.getNode(), error, request.itemIndex);
  return body;
}

/** Returns false if the object in the path does not exist. */
export async function requestIfExists(context: ApiContext, request: ApiRequest): Promise<boolean> {
  const { error } = await tryRequest(context, request);
  if (error === undefined) return true;
  // WEBHOOK_NOT_FOUND and the like; NOT_FOUND itself means that the base URL is wrong.
  if (error.status === 404 && error.code.endsWith('_NOT_FOUND')) return false;
  throw new TrunklineApiError(context.getNode(), error, request.itemIndex);
}

async function tryRequest(
  context: ApiContext,
  request: ApiRequest,
): Promise<{ readonly body: Buffer; readonly error?: ApiError }> {
  const url = `${await baseUrlOf(context, request.itemIndex)}${request.path}`;
  for (let attempt = 1; ; attempt += 1) {
    const { statusCode, headers, body } = await send(context, { ...request, url });
    if (statusCode >= 200 && statusCode < 300) return { body };
    const wait = attempt < ATTEMPTS ? waitOf(statusCode, headers) : undefined;
    if (wait === undefined) return { body, error: readApiError(statusCode, parseJson(body)) };
    await sleep(wait);
  }
}

/** Encodes the ids, so that each id from a workflow stays one segment. */
export function path(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: texts }, ...ids.map(segment));
}

/**
 * An empty id, `.` or `..` would change the path, so they get the prefix `_`, with which the API finds nothing. A lone
 * surrogate, which cannot be encoded, is replaced.
 */
function segment(id: string): string {
  return /^\.{0,2}$/.test(id) ? `_${id}` : encodeURIComponent(id.toWellFormed());
}

/** The maximum number of attempts at a rate-limited request. A refused attempt has no effect. */
const ATTEMPTS = 5;
const LONGEST_WAIT_SECONDS = 60;

/** How many milliseconds to wait for the rate limit; undefined for no retry. */
function waitOf(statusCode: number, headers: IDataObject): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return statusCode === 429 && seconds <= LONGEST_WAIT_SECONDS ? seconds * 1000 : undefined;
}

interface Response {
  readonly statusCode: number;
  readonly headers: IDataObject;
  readonly body: Buffer;
}

async function send(
  context: ApiContext,
  { method, url, query, body, headers, itemIndex }: ApiRequest & { readonly url: string },
): Promise<Response> {
  const options: IHttpRequestOptions = {
    method,
    url,
    headers: { Accept: 'application/json', ...headers },
    encoding: 'arraybuffer',
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    // The API key must not go to another address.
    disableFollowRedirect: true,
    ...(query === undefined ? {} : { qs: query }),
    ...(body === undefined ? {} : { body }),
  };
  try {
    const response: unknown = await context.helpers.httpRequestWithAuthentication.call(
      context,
      'trunklineApi',
      options,
    );
    return readResponse(response);
  } catch (error) {
    // The request was not sent, or got no response. NodeApiError takes any error.
    throw new NodeApiError(
      context.getNode(),
      error as JsonObject,
      itemIndex === undefined ? {} : { itemIndex },
    );
  }
}

function readResponse(response: unknown): Response {
  const { statusCode, headers, body } = isObject(response) ? response : {};
  return {
    statusCode: Number(statusCode),
    headers: isObject(headers) ? headers : {},
    body: Buffer.isBuffer(body) ? body : Buffer.from(body instanceof ArrayBuffer ? new Uint8Array(body) : []),
  };
}

async function baseUrlOf(context: ApiContext, itemIndex?: number): Promise<string> {
  const { baseUrl } = await context.getCredentials('trunklineApi', itemIndex);
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl.trim()))
    throw new NodeOperationError(
      context.getNode(),
      'The base URL of the Trunkline credentials must begin with https:// or http://.',
    );
  return baseUrl.trim().replace(/(?<!\/)\/+$/, '');
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
