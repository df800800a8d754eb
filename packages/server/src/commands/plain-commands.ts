import type { CallOptions, CallResult, TrunklineClient } from '@trunkline/http/client';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { requireConfirmation } from './confirm.ts';
import { readRows, rowsAskedFor } from './pages.ts';
import type { PageAskedFor } from './pages.ts';
import { accepted, remoteService } from './remote-service.ts';
import { anyObject, list as listOf, page as pageOf, theOne } from './service-shapes.ts';
import type { Shape } from './service-shapes.ts';
import type { Text } from '../terminal/styled-text.ts';
import { table } from '../terminal/table.ts';
import type { Columns } from '../terminal/table.ts';

// Commands that make one request and print the response. All others are written out.

type Reply<Data> = Promise<CallResult<{ readonly data: Data }>>;

interface RowCommand<Row> {
  /** The parts of a row that the columns read. */
  readonly shape: Shape;
  readonly columns: Columns<Row>;
}

/** A command that prints a list without pages. */
export function listCommand<Row>({
  shape,
  columns,
  list,
}: RowCommand<Row> & { list(client: TrunklineClient, call: Call): Reply<readonly Row[]> }): CommandHandler {
  return async (call) => {
    const service = await remoteService(call);
    const { data } = await accepted(service, list(service.client, call), listOf(shape));
    call.output.result({ data }, table(call.output, columns, data));
  };
}

/** A command that prints the newest rows of a list with pages, 25 unless `--limit` says otherwise. */
export function pagesCommand<Row>({
  shape,
  columns,
  page,
}: RowCommand<Row> & {
  page(
    client: TrunklineClient,
    asked: PageAskedFor,
    call: Call,
  ): Promise<CallResult<{ readonly data: readonly Row[]; readonly nextCursor: string | null }>>;
}): CommandHandler {
  return async (call) => {
    const asked = rowsAskedFor(call, 25);
    const service = await remoteService(call);
    const data = await readRows(asked, (one) =>
      accepted(service, page(service.client, one, call), pageOf(shape)),
    );
    call.output.result({ data }, table(call.output, columns, data));
  };
}

/** A command that makes a request about the object that its argument names, and prints the object of the response. */
export function objectCommand<Data>({
  of,
  shape,
  asks,
  request,
  describe,
}: {
  /** The name of the argument that has the id. */
  readonly of: string;
  /** The parts of the object that `describe` reads. */
  readonly shape: Shape;
  /** The question to confirm first, if any. */
  asks?(id: string, call: Call): string;
  request(client: TrunklineClient, id: string, call: Call): Reply<Data>;
  describe(data: Data): Text;
}): CommandHandler {
  return async (call) => {
    const service = await remoteService(call);
    const id = call.argument(of);
    if (asks) await requireConfirmation(call, asks(printable(id), call));
    const { data } = await accepted(service, request(service.client, id, call), theOne(shape, id));
    call.output.result({ data }, describe(data));
  };
}

/** A command that deletes the object that its argument names. */
export function deleteCommand({
  of,
  asks,
  request,
}: {
  /** The name of the argument that has the id, and what people call the object. */
  readonly of: string;
  /** The question to confirm first. */
  asks(id: string): string;
  request(client: TrunklineClient, id: string, options: CallOptions): Reply<undefined>;
}): CommandHandler {
  return async (call) => {
    const service = await remoteService(call);
    const id = call.argument(of);
    await requireConfirmation(call, asks(printable(id)));
    await accepted(service, request(service.client, id, call), anyObject);
    call.output.result({ data: { id, deleted: true } }, `The ${of} ${printable(id)} is deleted.`);
  };
}
