/** A response of the dashboard's own API, in the shape of the REST API's. */
export function dataResponse(data: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ data }), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}

export function nothingResponse(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store', ...headers } });
}
