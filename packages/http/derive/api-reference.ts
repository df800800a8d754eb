import type { ErrorCode, Scope } from '@trunkline/core';
import { ERROR_CODES, EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS } from '@trunkline/core/spi/http';
import { CHAPTERS, ROUTES } from '../src/routes/all-routes.ts';
import { COMMON_ERRORS, ownErrors } from '../src/routes/declared-errors.ts';
import { scopesOf } from '../src/routes/route.ts';
import type { Chapter, RefusedRequest, Route, SuccessResponse } from '../src/routes/route.ts';

export function apiReference(): string {
  return `# API reference

Every endpoint, event and error code of this version. \`npx --yes pnpm@12 openapi\` writes this page from the code: do not edit it.
What they mean in full is in [messaging-api.md](messaging-api.md), the specification of version 1.0.0, and in
[decisions.md](decisions.md); bodies, fields and examples are in [openapi.json](../packages/http/openapi.json).

## Endpoints

Paths are relative to the base URL, which ends in \`/api/v1\`. Every endpoint may also return ${codes(COMMON_ERRORS)};
\`INSUFFICIENT_SCOPE\` where it needs a scope; and \`PAYLOAD_TOO_LARGE\` where it takes a body.

${CHAPTERS.map(chapterText).join('\n\n')}

## Events

${eventTable(EVENT_MEANINGS)}

These are not in the specification. Only endpoints and handlers that name one of them get it;
[events.md](events.md#events-that-you-ask-for-by-name) says what they report.

${eventTable(OPT_IN_EVENT_MEANINGS)}

## Error codes

| code | status | |
|---|---|---|
${Object.entries(ERROR_CODES)
  .map(([code, { status, meaning }]) => row(`\`${code}\``, status, meaning))
  .join('\n')}

Requests that show some of them. A body is shown as what differs from the example in [openapi.json](../packages/http/openapi.json).

| request | code |
|---|---|
${ROUTES.flatMap(refusedRows).join('\n')}
`;
}

function eventTable(meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(meanings).map(([type, meaning]) => row(`\`${type}\``, meaning));
  return ['| type | sent when |', '|---|---|', ...rows].join('\n');
}

function chapterText(chapter: Chapter): string {
  const { name, description } = chapter.tag;
  const routes = ROUTES.filter((route) => route.chapter === chapter);
  return `### ${name}

${description}

| endpoint | | scope | takes | returns | errors of its own |
|---|---|---|---|---|---|
${routes.map(routeRow).join('\n')}`;
}

function routeRow(route: Route): string {
  const { method, path, summary, success, replay, queues } = route;
  const responses = [success, ...(replay ? [replay] : []), ...(queues ? [queues] : [])];
  const returned = responses.map(successText).join(' or ');
  return row(
    `\`${method} ${path}\``,
    summary,
    scopesText(scopesOf(route)),
    taken(route),
    returned,
    codes(ownErrors(route)),
  );
}

function refusedRows({ method, path, refuses = {} }: Route): readonly string[] {
  return Object.entries<RefusedRequest>(refuses).map(([code, { query, headers = {}, body }]) => {
    const target = query === undefined ? path : `${path}?${query}`;
    const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const parts = [`${method} ${target}`, ...sent, ...(body ? [JSON.stringify(body)] : [])];
    return row(parts.map((part) => `\`${part}\``).join(' with '), `\`${code}\``);
  });
}

function taken({ body, query, queryNames }: Route): string {
  if (body) return `\`${body.name}\`${body.form ? `, or \`${body.form.name}\` as a form` : ''}`;
  return query ? `query: ${queryNames.map((name) => `\`${name}\``).join(', ')}` : '–';
}

function successText({ status, body }: SuccessResponse): string {
  if (body === null) return `${status}`;
  if (body === 'file') return `${status} the file`;
  return body === 'events' ? `${status} a stream of events` : `${status} \`${body.name}\``;
}

function scopesText(scopes: readonly Scope[]): string {
  return scopes.length === 0 ? '–' : scopes.map((scope) => `\`${scope}\``).join(', ');
}

function codes(list: readonly ErrorCode[]): string {
  return list.length === 0 ? '–' : list.map((code) => `\`${code}\``).join(', ');
}

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}
