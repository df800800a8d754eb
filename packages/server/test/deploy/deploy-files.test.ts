import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { only } from '@trunkline/test-support';
import { allSettings } from '../../src/settings/settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const DEPLOY = join(import.meta.dirname, '../../../../deploy');
const read = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

const COMPOSE_FILES = ['compose.yaml', 'compose.postgres.yaml', 'compose.monitoring.yaml'];
const UNIT = read('systemd/trunkline.service');
const IMAGE = DockerfileParser.parse(read('Dockerfile'));

/** A missing field is undefined, and fails the assertion on it. */
interface Json {
  readonly [key: string]: Json;
}

const composed = (file: string): Json => parse(read(file), { merge: true });

describe('Every environment name is that of a setting:', () => {
  const known = new Set(allSettings().map(({ variable }) => variable));
  const unknown = (names: readonly string[]): readonly string[] => names.filter((name) => !known.has(name));

  it('the Dockerfile', () => {
    const names = IMAGE.getENVs().flatMap((env) => env.getProperties().map((property) => property.getName()));
    expect(names).toContain('DATA_DIR');
    expect(unknown(names)).toEqual([]);
  });

  it.for(['compose.yaml', 'compose.postgres.yaml'])('file %s', (file) => {
    const names = Object.keys(composed(file)['services']?.['trunkline']?.['environment'] ?? {});
    expect(names).toContain('SECRET_KEY');
    expect(unknown(names)).toEqual([]);
  });

  it('the systemd unit', () => {
    const names = [...UNIT.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    expect(names).toContain('DATA_DIR');
    expect(unknown(names)).toEqual([]);
  });

  it('the pages', () => {
    const pages = join(DEPLOY, '../docs/deploy');
    for (const page of readdirSync(pages)) {
      const blocks = [
        ...readFileSync(join(pages, page), 'utf8').matchAll(/^```(?:sh|ini|yaml)\n([^]*?)^```/gm),
      ];
      const names = blocks.flatMap(([, block = '']) =>
        [...block.matchAll(/^\s*(?:export )?([A-Z][A-Z0-9_]+)(?:=|: )/gm)].map(([, name = '']) => name),
      );
      const others = /^(LITESTREAM|POSTGRES|GRAFANA|AWS)_|^TRUNKLINE_(PORT|URL|API_KEY)$/;
      expect(unknown(names.filter((name) => !others.test(name))), page).toEqual([]);
    }
  });
});

describe('The Dockerfile', () => {
  const keywords = (): readonly string[] => IMAGE.getInstructions().map((one) => one.getKeyword());

  it('ends as a user by number that is not root, after the last step that needs one', () => {
    const user = IMAGE.getInstructions().findLast((one) => one.getKeyword() === 'USER');
    expect(user?.getArgumentsContent()).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const after = keywords().slice(keywords().lastIndexOf('USER') + 1);
    expect(after.filter((keyword) => ['RUN', 'COPY', 'ADD'].includes(keyword))).toEqual([]);
  });

  it('runs Node itself as process 1, which gets SIGTERM, and has a health check', () => {
    const [entrypoint] = IMAGE.getENTRYPOINTs();
    expect(JSON.parse(entrypoint?.getArgumentsContent() ?? '')[0]).toBe('node');
    expect(IMAGE.getHEALTHCHECKs()).toHaveLength(1);
  });

  it('uses only the tarballs of the machine that builds it', () => {
    expect(
      read('.dockerignore')
        .split('\n')
        .filter((line) => !/^(#|$)/.test(line)),
    ).toEqual(['*', '!tarballs']);
    const copied = IMAGE.getCOPYs().filter(
      (copy) => !copy.getFlags().some((flag) => flag.getName() === 'from'),
    );
    expect(copied.map((copy) => copy.getArguments()[0]?.getValue())).toEqual(['tarballs/']);
  });

  it('is on the Node that the packages need, in all of its stages', () => {
    const [first, ...others] = IMAGE.getFROMs().map((from) => from.getImage());
    expect(first).toMatch(/^node:24-slim@/);
    expect(others).toEqual([first]);
  });
});

describe.each(COMPOSE_FILES)('%s', (file) => {
  const { services = {}, volumes = {}, include } = composed(file);
  const ofServices = Object.entries(services);

  it('names existing volumes, files and services', () => {
    for (const [name, service] of ofServices) {
      for (const mount of Object.values<unknown>(service['volumes'] ?? {}).map(String)) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('.')) expect(existsSync(join(DEPLOY, source)), `${name}: ${source}`).toBe(true);
        else expect(Object.keys(volumes), name).toContain(source);
      }
      for (const other of Object.keys(service['depends_on'] ?? {}))
        expect(Object.keys(services)).toContain(other);
    }
    for (const other of Object.values<unknown>(include ?? {}))
      expect(existsSync(join(DEPLOY, String(other)))).toBe(true);
  });

  it('listens on this machine only', () => {
    const ports = ofServices.flatMap(([, service]) => Object.values<unknown>(service['ports'] ?? {}));
    expect(ports.filter((port) => !String(port).startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('restarts everything', () => {
    for (const [name, service] of ofServices) expect(service['restart'], name).toBe('unless-stopped');
  });
});

describe.each(['compose.yaml', 'compose.postgres.yaml'])('the server of %s', (file) => {
  it('cannot write outside of its volume, has no rights, and gets the time to end', () => {
    expect(composed(file)['services']?.['trunkline']).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '45s',
      volumes: ['data:/data'],
    });
  });
});

it('compose.postgres.yaml has three servers, and refuses to start without a secret key', () => {
  const server = composed('compose.postgres.yaml')['services']?.['trunkline'];
  expect(server?.['deploy']?.['replicas']).toBe(3);
  for (const name of ['SECRET_KEY', 'DATABASE_URL']) expect(server?.['environment']?.[name]).toMatch(/:\?/);
});

it('Prometheus and Grafana are a profile', () => {
  const { services = {} } = composed('compose.monitoring.yaml');
  expect(Object.keys(services)).toEqual(['prometheus', 'grafana']);
  for (const service of Object.values(services)) expect(service['profiles']).toEqual(['monitoring']);
  expect(composed('compose.yaml')['include']).toEqual(['compose.monitoring.yaml']);
  expect(composed('compose.postgres.yaml')['include']).toEqual(['compose.monitoring.yaml']);
});

it('Prometheus reads every server where it serves its metrics, under the name that the alerts expect', () => {
  const { scrape_configs: jobs, rule_files: rules } = composed('monitoring/prometheus.yml');
  const { job_name: job, dns_sd_configs: found } = only(Object.values(jobs ?? {}));
  const addresses = ['compose.yaml', 'compose.postgres.yaml'].map(
    (file) => composed(file)['services']?.['trunkline']?.['environment']?.['METRICS_ADDRESS'],
  );
  expect(only(Object.values(found ?? {}))).toMatchObject({ names: ['trunkline'], type: 'A', port: 9464 });
  expect(addresses).toEqual(['0.0.0.0:9464', '0.0.0.0:9464']);
  const alerts = readFileSync(join(DEPLOY, '../docs/prometheus/alerts.yml'), 'utf8');
  expect(job).toBe('trunkline');
  expect(alerts).toContain('job="trunkline"');
  // The directory where compose.monitoring.yaml mounts docs/prometheus.
  expect(rules).toEqual(['/etc/prometheus/rules/*.yml']);
});

describe('The systemd unit', () => {
  it('passes `systemd-analyze verify`, and exposes little', ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0)
      return skip('this machine has no systemd-analyze');
    const unit = join(temporaryDirectory(), 'trunkline.service');
    // systemd-analyze checks that the program exists.
    writeFileSync(unit, UNIT.replace('/usr/bin/node', process.execPath));
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
    expect(rated.status).toBe(0);
  });

  it('waits longer than the server takes to stop', () => {
    const stop = Number(
      allSettings()
        .find(({ variable }) => variable === 'STOP_TIMEOUT')
        ?.byDefault.replaceAll('`', ''),
    );
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(UNIT)?.[1])).toBeGreaterThanOrEqual(stop + 15);
  });
});
