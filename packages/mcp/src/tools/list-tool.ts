import type { ListResult, WorkspaceApi } from '@trunkline/core';
import * as z from 'zod';
import { LONGEST_IN_PAGE, nextCursor } from './fields.ts';
import { defineTool, done } from './tool.ts';
import type { Tool, ToolDefinition } from './tool.ts';

/** A tool that returns the rows of an operation as they are. */
interface ListToolDefinition<Input extends z.ZodRawShape, Row> extends Pick<
  ToolDefinition<Input, never>,
  'name' | 'title' | 'description' | 'offeredTo' | 'input' | 'logged'
> {
  /** The resource in each row, such as `RESOURCES.chat`. */
  readonly rows: { readonly schema: z.ZodType<Row> };
  /** The fields of a row that other people wrote. */
  readonly untrusted?: readonly string[];
  list(api: WorkspaceApi, input: z.output<z.ZodObject<Input>>): Promise<Rows<Row>>;
}

interface Rows<Row> extends ListResult<Row> {
  /** Undefined if the list has no pages. */
  readonly nextCursor?: string | null;
}

/** If the input has a `cursor`, the list has pages, and the output has the cursor of the next one. */
export function listTool<Input extends z.ZodRawShape, Row>({
  rows,
  untrusted = [],
  list,
  ...definition
}: ListToolDefinition<Input, Row>): Tool {
  return defineTool({
    ...definition,
    output: { data: z.array(rows.schema), ...('cursor' in definition.input && { next_cursor: nextCursor }) },
    untrusted: untrusted.map((field) => `data[].${field}`),
    longestText: LONGEST_IN_PAGE,
    async handle(input, { api }) {
      const { data, nextCursor: next } = await list(api, input);
      return done({ data: [...data], ...(next !== undefined && { next_cursor: next }) });
    },
  });
}
