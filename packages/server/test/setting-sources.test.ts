import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withSettingsTable } from '../derive/settings-table.ts';
import { fromConfigFile } from '../src/settings/config-file.ts';
import { flagOf, keyOf, optionOf } from '../src/settings/setting-names.ts';
import { fromEnvironment, fromOptions } from '../src/settings/setting-sources.ts';
import { allSettings, readSettings } from '../src/settings/settings.ts';
import { settingsOf } from '../src/serve.ts';
import type { ServeOptions } from '../src/serve.ts';
import { complaintsOf } from '../src/errors/start-error.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

function configFile(text: string | Uint8Array, mode = 0o600): string {
  const path = join(temporaryDirectory(), 'trunkline.toml');
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

async function complaintsAbout(path: string): Promise<readonly string[]> {
  return fromConfigFile(path).then((given) => {
    readSettings(given);
    return [];
  }, complaintsOf);
}

describe('The settings of a server', () => {
  it('come from the file, which the environment overrides, which the options override', async () => {
    const path = configFile('host = "::1"\nport = 1\nrate_limit = 1\nlog_level = "warn"\n');
    const settings = await settingsOf({
      configFile: path,
      environment: { PORT: '2', RATE_LIMIT: '2', LOG_LEVEL: '' },
      rateLimit: 3,
    });
    expect(settings).toMatchObject({ host: '::1', port: 2, rateLimit: 3, logLevel: 'warn' });
  });

  it('have the same meaning in each of the three', () => {
    const environment = {
      PORT: '81',
      ROLES: 'api,webhooks',
      STANDARD_WEBHOOKS: 'false',
      WEBHOOK_ALLOW: 'n8n,10.0.0.0/8',
    };
    const options: ServeOptions = {
      port: 81,
      roles: ['api', 'webhooks'],
      standardWebhooks: false,
      webhookAllow: ['n8n', '10.0.0.0/8'],
    };
    expect(readSettings(fromOptions({ ...options }))).toEqual(readSettings(fromEnvironment(environment)));
  });

  it('are all options of serve, and unknown ones are refused with the likely intended one', () => {
    const everyOption: Readonly<Record<Exclude<keyof ServeOptions, 'configFile' | 'environment'>, true>> = {
      host: true,
      port: true,
      publicUrl: true,
      dataDir: true,
      databaseUrl: true,
      databaseConnections: true,
      databasePoolMode: true,
      s3Bucket: true,
      s3Region: true,
      s3Endpoint: true,
      s3Prefix: true,
      s3Exclusive: true,
      s3KeyId: true,
      s3SecretKey: true,
      gateways: true,
      pace: true,
      messagesPerMinute: true,
      newPeoplePerDay: true,
      showTyping: true,
      apiKey: true,
      secretKey: true,
      secretKeyPrevious: true,
      webhookUrlPolicy: true,
      webhookAllow: true,
      webhookDeny: true,
      standardWebhooks: true,
      instanceProxies: true,
      linkPreviews: true,
      groupChangesPerHour: true,
      groupPeoplePerDay: true,
      instanceHistoryDays: true,
      instanceDownMinutes: true,
      messageRetentionDays: true,
      rateLimit: true,
      roles: true,
      smtpUrl: true,
      mailTo: true,
      metricsAddress: true,
      metricsToken: true,
      apiDocs: true,
      dashboard: true,
      dashboardToken: true,
      mcp: true,
      mcpSendTo: true,
      mcpSendFrom: true,
      mcpSendKeys: true,
      mcpMessagesPerDay: true,
      mcpRetries: true,
      otelExporterOtlpEndpoint: true,
      otelExporterOtlpHeaders: true,
      otelServiceName: true,
      otelMetricsExporter: true,
      otelMetricExportInterval: true,
      otelTracesExporter: true,
      otelTracesSamplerArg: true,
      stopTimeout: true,
      logLevel: true,
      logFormat: true,
    };
    expect(
      allSettings()
        .map(({ variable }) => optionOf(variable))
        .toSorted(),
    ).toEqual(Object.keys(everyOption).toSorted());
    expect(() => fromOptions({ prot: 80 })).toThrow('serve: there is no option "prot". Did you mean "port"?');
    expect(() => fromOptions({ port: {} })).toThrow('serve: the option "port" must be a string, a number');
  });

  it('are named in each place as its author wrote them', async () => {
    const path = configFile('port = "http"\nlog_level = "loud"\n');
    const given = [
      ...(await fromConfigFile(path)),
      ...fromEnvironment({ LOG_LEVEL: 'louder', RATE_LIMIT: 'x' }),
    ];
    let complaints: readonly string[] = [];
    try {
      readSettings(given);
    } catch (error) {
      complaints = complaintsOf(error);
    }
    expect(complaints).toEqual([
      `port in ${path} must be a whole number from 0 to 65535. It is "http".`,
      'RATE_LIMIT must be a whole number from 0 to 1000000000. It is "x".',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent. It is "louder".',
    ]);
  });

  it('are those of the documentation', () => {
    const page = readFileSync(new URL('../../../docs/running.md', import.meta.url), 'utf8');
    expect(page).toBe(withSettingsTable(page));
    for (const { variable, meaning } of allSettings()) expect(meaning, variable).not.toBe('');
    expect([keyOf('S3_KEY_ID'), optionOf('S3_KEY_ID'), flagOf('S3_KEY_ID')]).toEqual([
      's3_key_id',
      's3KeyId',
      '--s3-key-id',
    ]);
  });
});

describe('A configuration file', () => {
  it('has paths that count from its own directory', async () => {
    const path = configFile('data_dir = "data"\ndatabase_url = "sqlite:sub/there.db"\n');
    const directory = join(path, '..');
    expect(readSettings(await fromConfigFile(path))).toMatchObject({
      dataDirectory: join(directory, 'data'),
      database: { kind: 'sqlite', path: join(directory, 'sub/there.db') },
    });
    const absolute = configFile('data_dir = "/srv/data"\ndatabase_url = "postgres://db/x"\n');
    expect(readSettings(await fromConfigFile(absolute))).toMatchObject({
      dataDirectory: '/srv/data',
      database: { kind: 'postgres', url: 'postgres://db/x' },
    });
  });

  it.for<readonly [string, string | Uint8Array, string]>([
    ['an unknown name', 'prot = 1', ': there is no setting "prot". Did you mean "port"?'],
    ['a name in capitals', 'PORT = 1', ': there is no setting "PORT". Did you mean "port"?'],
    [
      'a table',
      '[port]\na = 1',
      'port in * must be a text, a number, true, false or a list of texts without commas.',
    ],
    ['a list with a comma', 'roles = ["api,gateway"]', 'roles in * must be a text, a number'],
    ['a date', 'port = 2026-01-01', 'port in * must be a text, a number'],
    [
      'broken TOML',
      'port = 1\nsecret_key = hush',
      ' is not valid TOML: line 2, column 14. Texts need quotes',
    ],
    ['another encoding', new Uint8Array([0x68, 0xff, 0x0a]), 'The configuration file is not text in UTF-8: '],
    ['more than it may hold', '#'.repeat(65_537), 'The configuration file is larger than 65536 bytes: '],
    ['the name of a property that each object has', '__proto__ = 1', ': there is no setting "__proto__". '],
    ['lists in lists without an end', `port = ${'['.repeat(10_000)}`, ' is not valid TOML: line 1, '],
    ['control characters in a name', '"\\u001b[31m" = 1', ': there is no setting "\\u001b[31m". '],
    [
      'a name of ten thousand letters',
      `${'x'.repeat(10_000)} = 1`,
      `there is no setting "${'x'.repeat(40)}…". `,
    ],
  ])('with %s is refused with a line that says so', async ([, text, complaint]) => {
    const path = configFile(text);
    const [found = '', ...more] = await complaintsAbout(path);
    expect(found.replace(path, '*')).toContain(complaint);
    expect(found).not.toContain('hush');
    expect(more).toEqual([]);
  });

  it('is refused with a line that says why if it is missing, a directory, or writable by all users', async () => {
    const directory = temporaryDirectory();
    const missing = join(directory, 'missing.toml');
    expect(await complaintsAbout(missing)).toEqual([
      `There is no configuration file ${missing}: make one with "trunkline init", or name another one with --config.`,
    ]);
    mkdirSync(join(directory, 'folder.toml'));
    expect(await complaintsAbout(join(directory, 'folder.toml'))).toEqual([
      `The configuration file is not a file: ${join(directory, 'folder.toml')}. Name another one with --config.`,
    ]);
    const shown = configFile('metrics_token = "hush-hush-hush-hush"', 0o640);
    expect(await complaintsAbout(shown)).toEqual([
      `Other users of this machine can read ${shown}, which has secrets in it: run "chmod 600 ${shown}".`,
    ]);
    const database = configFile('database_url = "postgres://me:hush@db/x"', 0o644);
    expect(await complaintsAbout(database)).toHaveLength(1);
    expect(await complaintsAbout(configFile('port = 1\nmetrics_token = ""', 0o644))).toEqual([]);
    const open = configFile('port = 1', 0o666);
    expect(await complaintsAbout(open)).toEqual([
      `Every user of this machine can change ${open}, so it is not read: run "chmod o-w ${open}".`,
    ]);
  });
});
