import type { Principal } from '@trunkline/core';
import { idPattern } from '@trunkline/core/spi/http';
import type { RateLimitOptions, RequestGuard } from '@trunkline/http';
import { rateLimitOption } from '@trunkline/http/spi';
import type { CheckedRateLimit } from '@trunkline/http/spi';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import * as z from 'zod';
import { counterpartsOf, flawInCounterpart } from './counterparts.ts';
import type { Counterparts } from './counterparts.ts';
import { MESSAGES_PER_DAY } from './rules.ts';

/** The rules for messages that models send. The server enforces them, even if a model is tricked. */
export interface SendingRules {
  /**
   * The allowed recipients: phone numbers, beginnings of phone numbers (`+4930*`), ids of groups (`grp_…`) and ids of
   * contacts (`con_…`).
   */
  readonly to: readonly string[];
  /** The ids of the instances from which models may send. By default, all instances of the workspace. */
  readonly from?: readonly string[] | undefined;
  /**
   * The ids of the API keys that may send through this server, even without the scope `messages:send`. Without that
   * scope, a key can send in no other way, so its holder cannot avoid these rules. By default, the keys with the scope.
   */
  readonly keys?: readonly string[] | undefined;
  /**
   * How many messages a workspace may send through this server on one day (UTC), by all its keys together. Default 20.
   */
  readonly messagesPerDay?: number | undefined;
}

/** The options of `createMcp`. */
export interface McpOptions {
  /** The path of the server. Default `/mcp`. */
  readonly path?: string | undefined;
  /**
   * The rules for sending: the same for all keys, or a function of the key. Without rules, nothing can be sent.
   *
   * @example sending: ({ workspace }) => rulesOf(workspace.id) ?? null
   */
  readonly sending?:
    SendingRules | ((principal: Principal) => SendingRules | null | Promise<SendingRules | null>) | undefined;
  /** Whether models may retry failed deliveries of webhooks. Default false. */
  readonly retries?: boolean | undefined;
  /**
   * The host names under which clients may call the server, without ports. A web page then cannot reach the server by a
   * name of its own that resolves to this machine (DNS rebinding). By default, any name.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The host names of the pages whose scripts may call the server. By default, none. Programs other than browsers are
   * not affected: they send no `Origin`.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** How many requests an API key may make; `false` for no limit. Default `{ requestsPerMinute: 600 }`. */
  readonly rateLimit?: RateLimitOptions | false | undefined;
  /**
   * Checks each request. To count a key's requests to this server and to the REST API together, pass the guard of
   * `createHttpApp`.
   */
  readonly guard?: RequestGuard | undefined;
  /** Returns the time, in epoch milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export interface CheckedSendingRules {
  readonly to: Counterparts;
  /** Null for all instances. */
  readonly from: ReadonlySet<string> | null;
  /** Null for all keys with the scope `messages:send`. */
  readonly keys: ReadonlySet<string> | null;
  readonly messagesPerDay: number;
}

export interface CheckedMcpOptions {
  readonly path: string;
  /** The rules for a key; null if it may not send. Rejects if the function `sending` returned wrong rules. */
  readonly sendingOf: (principal: Principal) => Promise<CheckedSendingRules | null>;
  readonly retries: boolean;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins: readonly string[];
  readonly rateLimit: CheckedRateLimit | false;
  readonly guard?: RequestGuard | undefined;
  readonly now: () => number;
}

const OPTION_NAMES: OptionNames<McpOptions> = {
  path: true,
  sending: true,
  retries: true,
  allowedHosts: true,
  allowedOrigins: true,
  rateLimit: true,
  guard: true,
  now: true,
};

const counterpart = z.string().superRefine((entry, context) => {
  const flaw = flawInCounterpart(entry);
  if (flaw !== undefined) context.addIssue(`${JSON.stringify(entry)} ${flaw}.`);
});

const idsOf = (pattern: RegExp, what: string): z.ZodType<ReadonlySet<string> | null, unknown> =>
  z
    .array(z.string().regex(pattern, `Must be ids of ${what}.`), `Must be a list of ids of ${what}.`)
    .transform((ids) => new Set(ids))
    .nullable()
    .default(null);

const sendingRules: z.ZodType<CheckedSendingRules, unknown> = z.strictObject({
  to: z.array(counterpart, 'Must be a list of phone numbers and ids.').transform(counterpartsOf),
  from: idsOf(idPattern('ins'), 'instances'),
  keys: idsOf(idPattern('key'), 'API keys'),
  messagesPerDay: z
    .int(`Must be a whole number from 1 to ${MESSAGES_PER_DAY.max.toLocaleString('en')}.`)
    .min(1)
    .max(MESSAGES_PER_DAY.max)
    .default(MESSAGES_PER_DAY.default),
});

const hostNames = z.array(z.string().regex(/^[^\s/]+$/), 'Must be a list of host names.');

const mcpOptions = z.object({
  path: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/, 'Must be a path like /mcp, without a slash at its end.')
    .default('/mcp'),
  retries: z.boolean('Must be true or false.').default(false),
  allowedHosts: hostNames.optional(),
  allowedOrigins: hostNames.default([]),
  rateLimit: rateLimitOption,
  guard: z.custom<RequestGuard>(isGuard, 'Must be made by createGuard.').optional(),
  now: z.custom<() => number>(isFunction, 'Must be a function.').default(() => Date.now),
});

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isGuard(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'admit' in value && isFunction(value.admit);
}

/** Throws a TypeError that names the first wrong option. */
export function checkMcpOptions({ sending, ...options }: McpOptions): CheckedMcpOptions {
  checkOptionNames('createMcp', options, OPTION_NAMES);
  const checked = mcpOptions.safeParse(options);
  if (!checked.success) throw wrong(`the option "${pathOf(checked.error)}" is wrong`, checked.error);
  return { ...checked.data, sendingOf: checkSending(sending) };
}

function checkSending(sending: McpOptions['sending']): CheckedMcpOptions['sendingOf'] {
  if (typeof sending === 'function')
    return async (principal) => {
      const rules = await sending(principal);
      return rules === null ? null : checkRules(rules, 'what the option "sending" returned is wrong');
    };
  const rules = sending === undefined ? null : checkRules(sending, 'the option "sending" is wrong');
  return async () => rules;
}

function checkRules(rules: SendingRules, complaint: string): CheckedSendingRules {
  const checked = sendingRules.safeParse(rules);
  if (checked.success) return checked.data;
  throw wrong(`${complaint} at "${pathOf(checked.error)}"`, checked.error);
}

function pathOf({ issues }: z.ZodError): string {
  return issues[0]?.path.join('.') ?? '';
}

function wrong(complaint: string, { issues }: z.ZodError): TypeError {
  return new TypeError(`createMcp: ${complaint}: ${issues[0]?.message}`);
}
