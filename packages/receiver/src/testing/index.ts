export { createEvent, signRequest } from './sign-request.ts';
export type { EventDraft, SignRequestOptions, SignedWebhook } from './sign-request.ts';
export { vectors } from './vectors.ts';
export type { RequestVector, SignatureVector, StandardSignatureVector, Vectors } from './vectors.ts';
