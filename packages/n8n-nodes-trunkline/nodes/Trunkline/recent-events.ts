/**
 * The events that this process has begun to handle, oldest first. In memory, because n8n stores nothing until a
 * workflow has run.
 */
const recent = new Set<string>();

const REMEMBERED_EVENTS = 5_000;

interface ResponseLike {
  readonly statusCode: number;
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Whether the event is new for this endpoint. A new event is remembered, unless n8n responds that it could not start
 * the workflow: the service then sends the event again.
 */
export function isNewEvent(endpointId: string, eventId: string, response: ResponseLike): boolean {
  const key = `${endpointId} ${eventId}`;
  if (recent.has(key)) return false;
  recent.add(key);
  for (const oldest of recent) {
    if (recent.size <= REMEMBERED_EVENTS) break;
    recent.delete(oldest);
  }
  response.once('close', () => {
    if (response.writableFinished && response.statusCode >= 300) recent.delete(key);
  });
  return true;
}
