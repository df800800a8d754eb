import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { must } from '@trunkline/test-support';
import { parse } from 'yaml';
import * as z from 'zod';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/commands/commands.ts';
import { emittedMetrics } from './support/emitted-metrics.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const page = read('monitoring.md');

const alerts = z
  .object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            alert: z.string().regex(/^Trunkline\w+$/),
            expr: z.string(),
            for: z.string().regex(/^\d+[mh]$/),
            labels: z.object({ severity: z.enum(['warning', 'critical']) }),
            annotations: z.object({
              summary: z.string(),
              description: z.string(),
              runbook_url: z.string(),
            }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(read('prometheus/alerts.yml')))
  .groups.flatMap(({ rules }) => rules);

const panels = z
  .object({
    panels: z.array(
      z.object({
        id: z.number(),
        type: z.enum(['row', 'stat', 'timeseries']),
        title: z.string().min(1),
        description: z.string().min(1).optional(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(read('grafana/trunkline.json'))).panels;

const queries = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
];

const OF_PROMETHEUS = ['job', 'instance', 'le'];

it('the page has every metric that is emitted, each with its labels', async () => {
  const series = await emittedMetrics();
  const emitted = withoutSeries(series);
  const documented = new Map(
    Array.from(page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm), ([, name = '', labels = '']) => [
      name,
      Array.from(labels.matchAll(/`(\w+)`/g), ([, label = '']) => label).toSorted(),
    ]),
  );
  const own = [...emitted].filter(([name]) => !/^(nodejs|v8js)_/.test(name));
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(own.map(([name, labels]) => [name, [...labels].toSorted()])),
  );
  for (const [, name = ''] of page.matchAll(/`((?:nodejs|v8js)_\w+)`/g))
    expect([...emitted.keys()]).toContain(name);
  for (const [, name = ''] of page.matchAll(/`(trunkline_\w+)`/g))
    expect([...series.keys(), ...emitted.keys()]).toContain(name);
});

it('the dashboard and the alerts ask for metrics that are emitted, by labels that they have', async () => {
  const emitted = await emittedMetrics();
  expect(queries.length).toBeGreaterThan(50);
  for (const { where, expr } of queries) {
    const { errors, metrics, labels } = readQuery(expr);
    expect(errors, `${where}: ${expr}`).toEqual([]);
    expect(metrics.length, where).toBeGreaterThan(0);
    const own = metrics.filter((name) => name !== 'up');
    for (const name of own) expect([...emitted.keys()], where).toContain(name);
    const known = [...own.flatMap((name) => [...(emitted.get(name) ?? [])]), ...OF_PROMETHEUS];
    for (const label of labels) expect(known, `${where}: ${expr}`).toContain(label);
  }
});

it('legends and summaries name labels that their query keeps', () => {
  const named = (text: string): readonly string[] =>
    Array.from(text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g), ([, label = '']) => label);
  const texts = [
    ...alerts.map(({ expr, annotations }) => ({ expr, text: annotations.summary })),
    ...panels.flatMap(({ targets }) =>
      targets.map(({ expr, legendFormat }) => ({ expr, text: legendFormat })),
    ),
  ];
  expect(texts.flatMap(({ text }) => named(text)).length).toBeGreaterThan(15);
  for (const { expr, text } of texts) {
    const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/);
    for (const label of named(text))
      expect(kept ?? ['instance', 'job'], `${text} of ${expr}`).toContain(label);
  }
});

it('numbers of the whole service are never added up over processes', () => {
  const ofTheService = Array.from(
    must(/## Of the whole service(.*?)\n## /s.exec(page)?.[1]).matchAll(/^\| `(\w+)`/gm),
    ([, name = '']) => name,
  );
  expect(ofTheService.length).toBeGreaterThan(10);
  for (const { where, expr } of queries)
    for (const name of ofTheService)
      if (new RegExp(`\\b${name}\\b`).test(expr))
        expect(expr, where).toMatch(
          new RegExp(`max(?: by \\([a-z, ]+\\))? \\(?${name}|max\\(${name}|absent\\(${name}`),
        );
});

it('every alert links to a section that says what to do, and every section is linked', () => {
  const [, whatToDo = ''] = page.split(/^## What to do$/m);
  const sections = Array.from(whatToDo.matchAll(/^### (.*)$/gm), ([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );
  const prefix = 'https://github.com/trunkline/trunkline/blob/main/docs/monitoring.md#';
  const reached = alerts.map(({ alert, annotations: { runbook_url: url } }) => {
    expect(url.startsWith(prefix), alert).toBe(true);
    expect(sections, alert).toContain(url.slice(prefix.length));
    return url.slice(prefix.length);
  });
  expect(new Set(reached)).toEqual(new Set(sections));
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

it('the commands in the descriptions of alerts exist', () => {
  const names = alerts.flatMap(({ annotations: { description } }) =>
    Array.from(description.matchAll(/`trunkline ([a-z -]+?)(?: --[^`]*)?`/g), ([, name = '']) => name),
  );
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(COMMANDS.map((command) => command.name)).toContain(name);
});

it('no two panels of the dashboard share an id or a place', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { gridPos: a, title } of panels) {
    const overlapping = panels.filter(
      ({ gridPos: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
    );
    expect(overlapping.map((other) => other.title)).toEqual([title]);
  }
});

/** Replaces the series names of a histogram with the histogram's name. */
function withoutSeries(
  emitted: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    [...emitted]
      .filter(
        ([name]) => !/_(sum|count)$/.test(name) || !emitted.has(name.replace(/_(sum|count)$/, '_bucket')),
      )
      .map(([name, labels]) => [
        name.replace(/_bucket$/, ''),
        new Set([...labels].filter((one) => one !== 'le')),
      ]),
  );
}

interface Query {
  /** For each syntax error, the rest of the query. */
  readonly errors: readonly string[];
  readonly metrics: readonly string[];
  /** The labels by which the query selects or groups. */
  readonly labels: readonly string[];
}

function readQuery(expr: string): Query {
  const found: Record<keyof Query, string[]> = { errors: [], metrics: [], labels: [] };
  parser.parse(expr).iterate({
    enter({ type, from, to, node }) {
      const text = expr.slice(from, to);
      if (type.isError) found.errors.push(expr.slice(from));
      else if (type.name === 'LabelName') found.labels.push(text);
      else if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') found.metrics.push(text);
    },
  });
  return found;
}
