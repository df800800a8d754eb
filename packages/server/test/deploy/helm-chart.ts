import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { renderTemplates } from './go-template.ts';

export const CHART: string = join(import.meta.dirname, '../../../../deploy/helm/trunkline');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

const read = (file: string): string => readFileSync(join(CHART, file), 'utf8');
const schemaOfValues = JSON.parse(read('values.schema.json'));

/**
 * Returns the manifests that `helm template` would render with these values. Throws if Helm would refuse the values.
 */
export function renderChart(values: object = {}, release = 'shop'): readonly Manifest[] {
  const given = merged(parse(read('values.yaml')), values);
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schemaOfValues);
  if (!validate(given))
    throw new Error(
      validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; '),
    );
  const chart = parse(read('Chart.yaml'));
  const files = Object.fromEntries(
    readdirSync(join(CHART, 'templates')).map((name) => [name, read(`templates/${name}`)]),
  );
  const rendered = renderTemplates(files, {
    Values: given,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Service: 'Helm' },
  });
  return Object.entries(rendered)
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text))
    .map((document) => {
      for (const error of document.errors) throw error;
      return document.toJS() as Manifest | null; // checked by the schemas of Kubernetes
    })
    .filter((manifest) => manifest !== null);
}

/** Merges values like Helm: objects are merged, everything else is replaced. */
function merged(base: unknown, more: unknown): unknown {
  if (!isObject(base) || !isObject(more)) return more;
  const names = [...new Set([...Object.keys(base), ...Object.keys(more)])];
  return Object.fromEntries(
    names.map((name) => [name, name in more ? merged(base[name], more[name]) : base[name]]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
