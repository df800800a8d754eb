/** Has the shape of the REST API's responses. */
export function dataResponse(data: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ data }), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}

export function nothingResponse(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store', ...headers } });
}
