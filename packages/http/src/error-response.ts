import type { TrunklineError } from '@trunkline/core';
import { json, toResponse } from './answer.ts';

/** What callers are told: most of it are refusals. */
export type ToldError = Pick<TrunklineError, 'code' | 'message' | 'status' | 'details'>;

interface ErrorFrame {
  readonly requestId: string;
  /** More headers; where the error has one of that name itself (a SEND_BACKLOG's own limit), its own counts. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error body of the specification ("Errors"), with the headers that its status asks for. */
export function errorResponse(error: ToldError, { requestId, headers = {} }: ErrorFrame): Response {
  const { code, message, status, details } = error;
  const answer = json({ error: { code, message, request_id: requestId, ...(details && { details }) } });
  const withHeaders = { ...answer, headers: { ...headers, ...answer.headers, ...headersOf(error) } };
  return toResponse(withHeaders, { status, requestId });
}

function headersOf({ status, details }: ToldError): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 503 && details?.retry_after !== undefined) {
    return { 'Retry-After': String(details.retry_after) };
  }
  if (status !== 429) return {};
  return {
    'Retry-After': String(details?.retry_after),
    'X-RateLimit-Limit': String(details?.limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(details?.reset),
  };
}
