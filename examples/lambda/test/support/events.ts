import type { LambdaEvent } from 'hono/aws-lambda';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly apiKey: string;
  readonly idempotencyKey?: string;
}

/** Version 2.0, which function URLs and HTTP APIs send. They may encode any body in base64. */
export function eventV2({ method, path, body, apiKey, idempotencyKey }: Call): LambdaEvent {
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const domainPrefix = 'abcdefghij0123456789';
  const domainName = `${domainPrefix}.lambda-url.eu-central-1.on.aws`;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      host: domainName,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      'x-forwarded-proto': 'https',
    },
    requestContext: {
      accountId: 'anonymous',
      apiId: domainPrefix,
      authentication: null,
      authorizer: {},
      domainName,
      domainPrefix,
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'tests' },
      requestId: '0f1e2d3c',
      routeKey: '$default',
      stage: '$default',
      time: '23/Nov/2026:09:00:00 +0000',
      timeEpoch: 1_795_424_400_000,
    },
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: body !== undefined,
  };
}

/** Version 1.0, which REST APIs send. */
export function eventV1({ method, path, body, apiKey }: Call): LambdaEvent {
  const [withoutQuery = '', query = ''] = path.split('?');
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return {
    version: '1.0',
    httpMethod: method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      Host: 'api.example.com',
    },
    path: withoutQuery,
    resource: '/{proxy+}',
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    queryStringParameters: parameters,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      authorizer: {},
      domainName: 'api.example.com',
      domainPrefix: 'api',
      extendedRequestId: 'request',
      httpMethod: method,
      identity: { sourceIp: '192.0.2.1', userAgent: 'tests' },
      path: withoutQuery,
      protocol: 'HTTP/1.1',
      requestId: '0f1e2d3c',
      requestTime: '23/Nov/2026:09:00:00 +0000',
      requestTimeEpoch: 1_795_424_400_000,
      resourcePath: '/{proxy+}',
      stage: 'prod',
    },
  };
}
