import type { IncomingMessage, ServerResponse } from 'node:http';

export function respondXml(outgoing: ServerResponse, content: string, status = 200): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/xml' });
  outgoing.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Result>${content}</Result>`);
}

/** Responds like AWS, whose errors contain details that must not be shown. */
export function respondError(outgoing: ServerResponse, status: number, code: string): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/xml' });
  outgoing.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>No.</Message>` +
      '<CanonicalRequest>x-amz-security-token:the-session-token</CanonicalRequest></Error>',
  );
}

export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}
