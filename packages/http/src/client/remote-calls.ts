import type { CallResult } from './call-result.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import type { CallOptions, RemoteApi } from './remote-api.ts';
import { pathOf } from './request.ts';
import type { Transport } from './transport.ts';

type Call = (...given: readonly unknown[]) => Promise<CallResult<{ readonly data: unknown }>>;

/** A call of every operation. */
export function remoteCalls(transport: Transport): RemoteApi {
  const groups = Object.entries(OPERATIONS).map(([group, operations]) => {
    const calls = Object.entries<Operation>(operations).map(([name, operation]): [string, Call] => [
      name,
      (...given) => call(transport, operation, given),
    ]);
    return [group, Object.fromEntries(calls)] as const;
  });
  // The groups and names are those of `Operations`; the types of a call are the ones that the service is written with.
  return Object.fromEntries(groups) as unknown as RemoteApi;
}

/** The arguments of a call are its id, its input and its options, without the first two where the operation has none. */
async function call(
  transport: Transport,
  { method, path, input, facts = {} }: Operation,
  given: readonly unknown[],
): Promise<CallResult<{ readonly data: unknown }>> {
  const rest = [...given];
  const target = path.includes('{') ? pathOf(path, String(rest.shift())) : path;
  const content = input === undefined ? {} : { [input]: rest.shift() ?? {} };
  const { signal } = (rest[0] ?? {}) as CallOptions; // what comes after the two
  const answer = await transport({ method, path: target, ...content, signal });
  if (!answer.ok) return answer;
  const { requestId, body } = answer;
  const meta: Readonly<Record<string, unknown>> = { ...Object(body?.['meta']) };
  const beside = Object.entries(facts).map(([name, inMeta]) => [name, meta[inMeta] ?? null] as const);
  return { ok: true, requestId, data: body?.['data'], ...Object.fromEntries(beside) };
}
