import type { IDataObject } from 'n8n-workflow';
import { isObject } from './api-error.ts';

/** The endpoint that the trigger node keeps between executions, in n8n's database. */
export interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

/** The name under which an endpoint is kept. A test run has a separate endpoint, because its address is different. */
export function slotOf(mode: string): string {
  return mode === 'manual' ? 'testEndpoint' : 'endpoint';
}

export function readEndpoint(staticData: IDataObject, slot: string): Endpoint | undefined {
  const { id, secret } = isObject(staticData[slot]) ? staticData[slot] : {};
  return typeof id === 'string' && typeof secret === 'string' ? { id, secret } : undefined;
}
