import { readFileSync } from 'node:fs';
import { must } from '@trunkline/test-support';
import { parse } from 'yaml';
import * as z from 'zod';
import { expect, it } from 'vitest';
import { emittedMetrics, initialSeries, readLabels } from './support/emitted-metrics.ts';

// alerts.long.test.ts runs these tests by promtool. Here they are checked against the server.
const read = (path: string): unknown =>
  parse(readFileSync(new URL(`../../../docs/prometheus/${path}`, import.meta.url), 'utf8'));

const alerts = z
  .object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) })
  .parse(read('alerts.yml'))
  .groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

const cases = z
  .object({
    tests: z.array(
      z.object({
        name: z.string(),
        input_series: z.array(z.object({ series: z.string(), values: z.string() })),
        alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
      }),
    ),
  })
  .parse(read('tests/alerts.yml'))
  .tests.map(({ name, input_series: series, alert_rule_test: checks }) => ({
    name,
    alerts: new Set(checks.map(({ alertname }) => alertname)),
    /** Whether the alert fires, at one time after the other. */
    fires: checks.map(({ exp_alerts: expected }) => expected.length > 0),
    series: series.filter(({ series: one }) => !one.startsWith('up{')).map(readSeries),
  }));

it('every test of an alert has its name, and says whether it fires or is quiet', () => {
  for (const { name, alerts: tested, fires } of cases) {
    const [, alert = '', verb] = /^(\w+) (fires|is quiet)/.exec(name) ?? [];
    expect([...tested], name).toEqual([alert]);
    expect(alerts, name).toContain(alert);
    expect(fires.includes(true), name).toBe(verb === 'fires');
    expect(fires[0], name).toBe(false);
  }
});

it('every alert is tested to be quiet, and to fire and resolve from the state of a new server', async () => {
  const initial = new Map((await initialSeries()).map((one) => [keyOf(one), one.value]));
  for (const alert of alerts) {
    const own = cases.filter(({ alerts: tested }) => tested.has(alert));
    expect(
      own.filter(({ fires }) => !fires.includes(true)),
      alert,
    ).not.toEqual([]);
    const complete = own.find(({ fires }) => fires.includes(true) && fires.at(-1) === false);
    expect(complete, alert).toBeDefined();
    for (const one of complete?.series ?? []) {
      const value = initial.get(keyOf(one));
      const beginning = value === undefined ? /^_/ : value === 0 ? /^0\b/ : /^[\d.]*[1-9]/;
      expect(one.values, `${alert}: ${keyOf(one)}`).toMatch(beginning);
    }
  }
});

it('every series in the tests of the alerts has the name and the labels of one that a server exposes', async () => {
  const emitted = await emittedMetrics();
  for (const { name, series } of cases)
    for (const one of series)
      expect([...one.labels.keys()].toSorted(), `${name}: ${keyOf(one)}`).toEqual(
        [...(emitted.get(one.name) ?? ['not exposed'])].toSorted(),
      );
});

/** A series without the labels that Prometheus adds. */
function readSeries({ series, values }: { series: string; values: string }): {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly values: string;
} {
  const [, name = '', pairs = ''] = must(/^(\w+)\{(.*)\}$/.exec(series));
  const labels = [...readLabels(pairs)].filter(([label]) => label !== 'job' && label !== 'instance');
  return { name, labels: new Map(labels), values };
}

function keyOf({ name, labels }: { name: string; labels: ReadonlyMap<string, string> }): string {
  return `${name} ${Array.from(labels, (pair) => pair.join('='))
    .toSorted()
    .join(' ')}`;
}
