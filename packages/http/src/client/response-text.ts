/** The text of a response; null if it is longer than `maxBytes`, in which case the rest is not read. */
export async function readText(response: Response, maxBytes: number): Promise<string | null> {
  // An empty body, or a runtime without body streams, where the limit cannot apply.
  if (!response.body) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
