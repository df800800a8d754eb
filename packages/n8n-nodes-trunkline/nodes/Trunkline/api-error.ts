import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { asText } from './as-text.ts';

/** An error as the API reports it, with the status of the response. */
export interface ApiError {
  /** An error code from the API specification; `HTTP_` and the status if the response is not from the API. */
  readonly code: string;
  readonly message: string;
  readonly request_id: string | null;
  readonly details?: JsonObject;
  readonly status: number;
}

/**
 * The API's error in the form that n8n shows. `api` is the original, which the node outputs if it continues on failure.
 */
export class TrunklineApiError extends NodeApiError {
  readonly api: ApiError;

  constructor(node: INode, api: ApiError, itemIndex?: number) {
    super(
      node,
      { error: { code: api.code, message: api.message, ...(api.details && { details: api.details }) } },
      {
        message: `${api.code}: ${api.message}`,
        description: descriptionOf(api),
        httpCode: String(api.status),
        ...(itemIndex === undefined ? {} : { itemIndex }),
      },
    );
    this.api = api;
  }
}

/** Any body other than an API error means that the response is not from the API. */
export function readApiError(status: number, body: unknown): ApiError {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string')
    return {
      code: `HTTP_${status}`,
      message:
        'The response is not one of the API. Check the base URL of the credentials, and what is in front of the server.',
      request_id: null,
      status,
    };
  const { code, message, request_id: requestId, details } = error;
  return {
    code,
    message,
    request_id: typeof requestId === 'string' ? requestId : null,
    ...(isObject(details) ? { details: details as JsonObject } : {}), // parsed from JSON
    status,
  };
}

/** The invalid fields, and the request id, which the server's log contains. */
function descriptionOf({ details, request_id: requestId }: ApiError): string {
  const fields = Object.entries(isObject(details?.['fields']) ? details['fields'] : {});
  const lines = fields.map(([field, messages]) => `${field}: ${[messages].flat().map(asText).join(' ')}`);
  return [...lines, ...(requestId === null ? [] : [`Request ${requestId}`])].join('\n');
}

export function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
