import * as z from 'zod';
import { flawInHostEntry, idPattern } from '@trunkline/core/spi/http';
import { flawInCounterpart } from '@trunkline/mcp/rules';
import type { Roles } from '@trunkline/core';
import { databaseNamed } from '../database/database-url.ts';
import type { NamedDatabase } from '../database/database-url.ts';
import { DEFAULT_NETWORKS, NETWORK_NAMES } from './network-list.ts';
import type { NetworkName } from './network-list.ts';

// Schemas for setting values that are given as text. An error message is printed after the setting's name, and never
// quotes a value that may be secret.

export const ROLE_NAMES: readonly (keyof Roles)[] = ['api', 'gateway', 'webhooks', 'maintenance'];

export function wholeNumber(max: number, min = 0): z.ZodType<number, string> {
  const complaint = `must be a whole number from ${min} to ${max}.`;
  return z
    .string()
    .regex(/^\d{1,15}$/, complaint)
    .transform(Number)
    .refine((value) => value >= min && value <= max, complaint);
}

export function secretKey(): z.ZodType<string | undefined> {
  return z
    .string()
    .min(32, 'must be at least 32 characters, as `openssl rand -base64 32` makes them.')
    .optional();
}

export function hostsListed(list: 'allow' | 'deny'): z.ZodType<readonly string[]> {
  return z
    .string()
    .transform(commaList)
    .superRefine((entries, context) => {
      for (const entry of entries) {
        const flaw = flawInHostEntry(list, entry);
        if (flaw !== undefined)
          context.addIssue(`must be a comma list of hosts, but ${JSON.stringify(entry)} ${flaw}.`);
      }
    })
    .default([]);
}

export function counterparts(): z.ZodType<readonly string[]> {
  return z
    .string()
    .transform(commaList)
    .superRefine((entries, context) => {
      for (const entry of entries) {
        const flaw = flawInCounterpart(entry);
        if (flaw !== undefined)
          context.addIssue(
            `must be a comma list of phone numbers and ids, but ${JSON.stringify(entry)} ${flaw}.`,
          );
      }
    })
    .default([]);
}

export function idList(prefix: 'ins' | 'key', what: string): z.ZodType<readonly string[] | undefined> {
  const complaint = `must be a comma list of ids of ${what}, which begin with ${prefix}_.`;
  return z
    .string()
    .transform(commaList)
    .pipe(z.array(z.string().regex(idPattern(prefix), complaint)))
    .optional();
}

export function commaList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

export function roles(): z.ZodType<Roles> {
  return z
    .string()
    .transform(commaList)
    .pipe(z.array(z.string().refine(isRole, `must be a comma list of ${ROLE_NAMES.join(', ')}.`)))
    .default([...ROLE_NAMES])
    .transform(rolesOf);
}

export function networks(): z.ZodType<readonly NetworkName[]> {
  const isName = (name: string): name is NetworkName => NETWORK_NAMES.some((known) => known === name);
  const rule = `must be a comma list of ${NETWORK_NAMES.join(', ')}, each at most once.`;
  return z
    .string()
    .transform(commaList)
    .pipe(
      z
        .array(z.string().refine(isName, rule))
        .min(1, rule)
        .refine((names) => new Set(names).size === names.length, rule),
    )
    .default([...DEFAULT_NETWORKS])
    .transform((names) => names.filter(isName));
}

function isRole(name: string): boolean {
  return ROLE_NAMES.some((role) => role === name);
}

function rolesOf(names: readonly string[]): Roles {
  const has = (role: keyof Roles): boolean => names.includes(role);
  return {
    api: has('api'),
    gateway: has('gateway'),
    webhooks: has('webhooks'),
    maintenance: has('maintenance'),
  };
}

export function publicUrl(): z.ZodType<string | undefined> {
  return z
    .string()
    .refine(
      isPublicUrl,
      'must be a URL like https://messages.example.com, without credentials, query and fragment.',
    )
    .transform(withoutSlash)
    .superRefine((url, context) => {
      const server = /^(.*)\/api\/v1$/.exec(url)?.[1];
      if (server !== undefined)
        context.addIssue(`must be the address of the server, without /api/v1: set it to ${server}.`);
    })
    .optional();
}

function isPublicUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username + url.password === '' &&
    !/[?#]/.test(text)
  );
}

/** Also normalizes the URL, including a host in capitals. */
function withoutSlash(url: string): string {
  return new URL(url).href.replace(/\/$/, '');
}

/** The address that a listener binds to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export function address(): z.ZodType<Address | undefined> {
  return z.string().transform(addressNamed).optional();
}

function addressNamed(text: string, context: z.RefinementCtx): Address {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]:|([^\s:/]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== undefined && port <= 65_535) return { host: bracketed ?? plain ?? '127.0.0.1', port };
  context.addIssue('must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464, or a port alone.');
  return z.NEVER;
}

export function database(): z.ZodType<NamedDatabase | undefined> {
  return z
    .string()
    .transform((url, context) => {
      const named = databaseNamed(url);
      if (named.kind !== 'flaw') return named;
      context.addIssue(named.complaint);
      return z.NEVER;
    })
    .optional();
}
