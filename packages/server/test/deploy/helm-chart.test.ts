import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { only } from '@trunkline/test-support';
import { withSettingNames } from '../../derive/chart-values.ts';
import { CHART, renderChart } from './helm-chart.ts';
import type { Manifest } from './helm-chart.ts';
import { complaintsAbout } from './kubernetes.ts';

/** From docs/deploy/kubernetes.md. */
const THREE = {
  replicas: 3,
  database: { kind: 'postgres' },
  settings: { GATEWAYS: 'whatsapp', S3_BUCKET: 'trunkline-media', RATE_LIMIT: '1200' },
  secret: {
    values: {
      DATABASE_URL: 'postgres://trunkline:"quoted"@db/trunkline',
      SECRET_KEY: 'a secret key of at least 32 characters',
    },
  },
};

function validated(manifests: readonly Manifest[]): readonly string[] {
  for (const manifest of manifests) expect(complaintsAbout(manifest), manifest.kind).toEqual([]);
  return manifests.map(({ kind }) => kind);
}

/** A missing field is undefined, and fails the assertion on it. */
interface Json {
  readonly [key: string]: Json;
}

function deploymentOf(values: object): Json {
  const found = only(renderChart(values).filter(({ kind }) => kind === 'Deployment'));
  return found as unknown as Json; // tests read any field
}

describe('The Helm chart', () => {
  it('is by default one server on SQLite, whose volume no second server shares during an upgrade', () => {
    const manifests = renderChart();
    expect(validated(manifests)).toEqual(['Deployment', 'PersistentVolumeClaim', 'Service']);
    const { spec } = deploymentOf({});
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(spec?.['template']?.['spec']).toMatchObject({
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'shop-trunkline' } }, { name: 'tmp' }],
    });
  });

  it('is as many servers on PostgreSQL as wanted, one of which starts before another one ends', () => {
    const manifests = renderChart(THREE);
    expect(validated(manifests)).toEqual(['Deployment', 'PodDisruptionBudget', 'Secret', 'Service']);
    expect(deploymentOf(THREE)['spec']).toMatchObject({
      replicas: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    expect(only(manifests.filter(({ kind }) => kind === 'Secret'))['stringData']).toEqual(
      THREE.secret.values,
    );
  });

  it('runs as a user that is not root, on a root file system that cannot be written', () => {
    const pod = deploymentOf(THREE)['spec']?.['template']?.['spec'];
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
  });

  it('removes a server from the balancer by /readyz, and kills it only by /healthz', () => {
    const container = deploymentOf({})['spec']?.['template']?.['spec']?.['containers']?.['0'];
    const path = (probe: string) => container?.[probe]?.['httpGet']?.['path'];
    expect(['startupProbe', 'livenessProbe', 'readinessProbe'].map(path)).toEqual([
      '/healthz',
      '/healthz',
      '/readyz',
    ]);
  });

  it.for([
    [{}, 50],
    [{ preStopSeconds: 0, settings: { STOP_TIMEOUT: '100' } }, 120],
  ] as const)('gives a server longer than it takes to stop cleanly: %j', ([values, seconds]) => {
    const pod = deploymentOf(values)['spec']?.['template']?.['spec'];
    expect(pod?.['terminationGracePeriodSeconds']).toBe(seconds);
  });

  it('starts servers again when a setting or a secret changes', () => {
    const checksum = (values: object) =>
      deploymentOf(values)['spec']?.['template']?.['metadata']?.['annotations']?.['checksum/settings'];
    const others = [
      { ...THREE, settings: { ...THREE.settings, RATE_LIMIT: '600' } },
      { ...THREE, secret: { existing: 'own' } },
    ];
    expect(new Set([THREE, ...others].map(checksum)).size).toBe(3);
    expect(checksum(THREE)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has an Ingress for the API, and not for the metrics', () => {
    const ingress = { enabled: true, className: 'nginx', host: 'sms.example.com', tlsSecret: 'tls' };
    const manifests = renderChart({ ...THREE, ingress });
    expect(validated(manifests)).toContain('Ingress');
    const text = JSON.stringify(manifests.find(({ kind }) => kind === 'Ingress'));
    expect(text).toContain('"/api"');
    expect(text).not.toContain('metrics');
  });

  it('serves metrics on a separate port, which no service exposes', () => {
    const manifests = renderChart({ ...THREE, metrics: { enabled: true } });
    expect(validated(manifests)).toEqual(['Deployment', 'PodDisruptionBudget', 'Secret', 'Service']);
    expect(deploymentOf({ ...THREE, metrics: { enabled: true } })['spec']?.['template']).toMatchObject({
      metadata: { annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9464' } },
      spec: {
        containers: [
          {
            env: expect.arrayContaining([{ name: 'METRICS_ADDRESS', value: '0.0.0.0:9464' }]),
            ports: [{ containerPort: 8080 }, { name: 'metrics', containerPort: 9464 }],
          },
        ],
      },
    });
    expect(JSON.stringify(manifests.filter(({ kind }) => kind === 'Service'))).not.toContain('9464');
  });

  it('uses an existing Secret and claim, and then creates none', () => {
    const own = { ...THREE, secret: { existing: 'own-secret' }, persistence: { existingClaim: 'own-claim' } };
    const manifests = renderChart(own);
    expect(validated(manifests)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
    const pod = deploymentOf(own)['spec']?.['template']?.['spec'];
    expect(pod).toMatchObject({
      containers: [{ envFrom: [{ secretRef: { name: 'own-secret' } }] }],
      volumes: [{ persistentVolumeClaim: { claimName: 'own-claim' } }, {}],
    });
  });

  it('renders with the values of docs/deploy/kubernetes.md', () => {
    const page = readFileSync(join(CHART, '../../../docs/deploy/kubernetes.md'), 'utf8');
    const values: object = parse(/^```yaml\n([^]*?)^```/m.exec(page)?.[1] ?? '');
    expect(validated(renderChart(values))).toEqual([
      'Deployment',
      'Ingress',
      'PodDisruptionBudget',
      'Service',
    ]);
    expect(JSON.stringify(renderChart(values))).toContain('"registry.example.com/trunkline:0.1.0"');
  });

  const shared = { enabled: true, accessMode: 'ReadWriteMany' };
  it.for([
    ['several servers on SQLite', { replicas: 2 }, 'SQLite is a file of one server'],
    ['PostgreSQL without its address', { database: { kind: 'postgres' } }, 'DATABASE_URL'],
    [
      'PostgreSQL without a secret key',
      { ...THREE, secret: { values: { DATABASE_URL: 'postgres://db/x' } } },
      'SECRET_KEY',
    ],
    ['an address of PostgreSQL with SQLite', { secret: THREE.secret }, 'database.kind postgres'],
    ['several servers on the sandbox network', { ...THREE, settings: { S3_BUCKET: 'b' } }, 'sandbox'],
    ['several servers without shared files', { ...THREE, settings: { GATEWAYS: 'whatsapp' } }, 'S3_BUCKET'],
    [
      'several servers on a volume of one node',
      { ...THREE, settings: { GATEWAYS: 'whatsapp' }, persistence: { enabled: true } },
      'ReadWriteMany',
    ],
    ['a setting that does not exist', { settings: { RATE_LIMTI: '5' } }, '/settings'],
    ['a secret among the settings', { settings: { SECRET_KEY: 'x' } }, '/settings'],
    ['a number, which Helm could write with an exponent', { settings: { RATE_LIMIT: 1_000_000 } }, 'string'],
    ['a value that does not exist', { replica: 3 }, 'additional'],
  ] as const)('refuses %s', ([, values, reason]) => {
    expect(() => renderChart(values)).toThrow(reason);
  });

  it('lets several servers share a volume for many nodes', () => {
    const values = { ...THREE, settings: { GATEWAYS: 'whatsapp' }, persistence: shared };
    expect(validated(renderChart(values))).toContain('PersistentVolumeClaim');
  });

  it('knows every setting; if not, `pnpm settings` writes them again', () => {
    const schema = readFileSync(join(CHART, 'values.schema.json'), 'utf8');
    expect(JSON.parse(withSettingNames(schema))).toEqual(JSON.parse(schema));
  });
});
