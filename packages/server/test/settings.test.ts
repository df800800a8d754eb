import { describe, expect, it } from 'vitest';
import { fromEnvironment } from '../src/settings/setting-sources.ts';
import { readSettings as readGiven } from '../src/settings/settings.ts';
import type { Settings } from '../src/settings/settings.ts';
import { complaintsOf } from '../src/errors/start-error.ts';

function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  return readGiven(fromEnvironment(environment));
}

describe('The variables of the server', () => {
  it('have defaults', () => {
    expect(readSettings({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: undefined,
      dataDirectory: 'data',
      database: { kind: 'sqlite', path: 'data/trunkline.db' },
      s3: null,
      apiKey: undefined,
      secretKey: undefined,
      previousSecretKey: undefined,
      urlPolicy: 'public',
      webhookAllow: [],
      webhookDeny: [],
      standardWebhooks: true,
      instanceProxies: false,
      linkPreviews: 'off',
      instanceHistoryDays: 30,
      groupLimits: { changesPerHour: 30, newPeoplePerDay: 50 },
      instanceDownAfterMs: 900_000,
      rateLimit: 600,
      roles: { api: true, gateway: true, webhooks: true, maintenance: true },
      gateways: ['sandbox'],
      pace: 'gentle',
      messagesPerMinute: undefined,
      newPeoplePerDay: undefined,
      showTyping: false,
      smtpUrl: undefined,
      emailTo: undefined,
      metricsAddress: undefined,
      metricsToken: undefined,
      apiDocs: true,
      dashboard: true,
      dashboardToken: undefined,
      mcp: null,
      otlp: null,
      stopTimeoutMs: 25_000,
      logLevel: 'info',
      logFormat: undefined,
    });
  });

  it('configure the server', () => {
    const smtpUrl = 'smtps://me:hush@mail.example.com';
    const secretKey = 'a-secret-key-of-more-than-32-characters';
    const environment = {
      HOST: '::1',
      PORT: '0',
      PUBLIC_URL: 'https://Messages.example.com/service/',
      DATA_DIR: '/srv/trunkline',
      GATEWAYS: 'whatsapp,sandbox',
      PACE: 'off',
      MESSAGES_PER_MINUTE: '12',
      NEW_PEOPLE_PER_DAY: '0',
      SHOW_TYPING: 'true',
      API_KEY: 'a-key-for-the-tests',
      SECRET_KEY: secretKey,
      SECRET_KEY_PREVIOUS: `${secretKey}, former`,
      WEBHOOK_URL_POLICY: 'local',
      WEBHOOK_ALLOW: 'n8n, *.internal.example.com,10.1.0.0/16 , fd00::1',
      WEBHOOK_DENY: '10.1.2.3',
      STANDARD_WEBHOOKS: 'false',
      INSTANCE_PROXIES: 'true',
      LINK_PREVIEWS: 'requested',
      INSTANCE_HISTORY_DAYS: '365',
      GROUP_CHANGES_PER_HOUR: '5',
      GROUP_PEOPLE_PER_DAY: '10',
      INSTANCE_DOWN_MINUTES: '0',
      MESSAGE_RETENTION_DAYS: '90',
      RATE_LIMIT: '0',
      ROLES: 'api, webhooks',
      SMTP_URL: smtpUrl,
      MAIL_TO: 'ada@example.com, grace@example.com',
      METRICS_ADDRESS: '[::1]:9464',
      METRICS_TOKEN: 'a-token-for-metrics',
      API_DOCS: 'off',
      DASHBOARD: 'off',
      DASHBOARD_TOKEN: 'a-token-for-admins',
      MCP: 'on',
      MCP_SEND_TO: '+1 555 0123, +4930*, grp_01kaj2q4m3f7h9k2n5p8r1t6w0',
      MCP_SEND_FROM: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
      MCP_SEND_KEYS: 'key_01kaj2n3xdf5tbw9se3x0k2m4p',
      MCP_MESSAGES_PER_DAY: '5',
      MCP_RETRIES: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://Collector.example.com:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush, x-scope=a=b',
      OTEL_SERVICE_NAME: 'messages',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_METRIC_EXPORT_INTERVAL: '15000',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      STOP_TIMEOUT: '40',
      LOG_LEVEL: 'silent',
      LOG_FORMAT: 'json',
    };
    expect(readSettings(environment)).toEqual({
      host: '::1',
      port: 0,
      publicUrl: 'https://messages.example.com/service',
      dataDirectory: '/srv/trunkline',
      database: { kind: 'sqlite', path: '/srv/trunkline/trunkline.db' },
      s3: null,
      apiKey: 'a-key-for-the-tests',
      secretKey,
      previousSecretKey: `${secretKey}, former`,
      urlPolicy: 'local',
      webhookAllow: ['n8n', '*.internal.example.com', '10.1.0.0/16', 'fd00::1'],
      webhookDeny: ['10.1.2.3'],
      standardWebhooks: false,
      instanceProxies: true,
      linkPreviews: 'requested',
      instanceHistoryDays: 365,
      groupLimits: { changesPerHour: 5, newPeoplePerDay: 10 },
      instanceDownAfterMs: 0,
      messageRetentionDays: 90,
      rateLimit: 0,
      roles: { api: true, gateway: false, webhooks: true, maintenance: false },
      gateways: ['whatsapp', 'sandbox'],
      pace: 'off',
      messagesPerMinute: 12,
      newPeoplePerDay: 0,
      showTyping: true,
      smtpUrl,
      emailTo: ['ada@example.com', 'grace@example.com'],
      metricsAddress: { host: '::1', port: 9464 },
      metricsToken: 'a-token-for-metrics',
      apiDocs: false,
      dashboard: false,
      dashboardToken: 'a-token-for-admins',
      mcp: {
        sendTo: ['+1 555 0123', '+4930*', 'grp_01kaj2q4m3f7h9k2n5p8r1t6w0'],
        sendFrom: ['ins_01kaj2p9v6e8gr5d0mz7q4xw1c'],
        sendKeys: ['key_01kaj2n3xdf5tbw9se3x0k2m4p'],
        messagesPerDay: 5,
        retries: true,
      },
      otlp: {
        endpoint: 'https://collector.example.com:4318',
        headers: { authorization: 'Bearer hush', 'x-scope': 'a=b' },
        serviceName: 'messages',
        metrics: true,
        metricsEveryMs: 15_000,
        traces: false,
        tracesRatio: 0.25,
      },
      stopTimeoutMs: 40_000,
      logLevel: 'silent',
      logFormat: 'json',
    });
  });

  it.for([
    ['sqlite:./here.db', './here.db'],
    ['sqlite:/srv/there.db', '/srv/there.db'],
    ['sqlite:///srv/there.db', '///srv/there.db'],
  ])('DATABASE_URL=%s is a path', ([url, path]) => {
    expect(readSettings({ DATABASE_URL: url }).database).toEqual({ kind: 'sqlite', path });
  });

  it('DATABASE_URL=postgres://… is a Postgres, and connections to it', () => {
    const url = 'postgres://me:hush@db/trunkline';
    expect(readSettings({ DATABASE_URL: url }).database).toEqual({
      kind: 'postgres',
      url,
      maxConnections: 10,
      poolMode: 'session',
    });
    const more = readSettings({
      DATABASE_URL: url,
      DATABASE_CONNECTIONS: '25',
      DATABASE_POOL_MODE: 'transaction',
    });
    expect(more.database).toEqual({ kind: 'postgres', url, maxConnections: 25, poolMode: 'transaction' });
  });

  it('S3_BUCKET and its related settings configure where media files are', () => {
    const bucket = { S3_BUCKET: 'acme-media', S3_KEY_ID: 'me', S3_SECRET_KEY: 'hush' };
    const credentials = { accessKeyId: 'me', secretAccessKey: 'hush' };
    expect(readSettings(bucket).s3).toEqual({
      bucket: 'acme-media',
      region: 'us-east-1',
      exclusive: false,
      credentials,
    });
    const elsewhere = {
      S3_REGION: 'auto',
      S3_ENDPOINT: 'https://s3.example.com',
      S3_PREFIX: 'trunkline/',
      S3_EXCLUSIVE: 'true',
    };
    expect(readSettings({ ...bucket, ...elsewhere }).s3).toEqual({
      bucket: 'acme-media',
      region: 'auto',
      endpoint: 'https://s3.example.com',
      prefix: 'trunkline/',
      exclusive: true,
      credentials,
    });
  });

  const hostRule =
    'is not a host name (n8n, *.internal.example.com), an address (10.1.2.3) or a range (10.1.0.0/16, fd00::/8); give no scheme, port or path.';
  const apiKeyRule =
    'API_KEY must be 16 to 128 printable characters without spaces; one that begins with trk_ must be a whole generated key.';
  const publicUrlRule =
    'PUBLIC_URL must be a URL like https://messages.example.com, without credentials, query and fragment.';
  const databaseRule =
    'DATABASE_URL must be sqlite: and the path of a file, or postgres:// and where the database is.';
  const encodingRule =
    'DATABASE_URL must be a URL like postgres://user:password@host:5432/database. In the user name and the password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25.';
  const pathRule =
    'DATABASE_URL must be sqlite: and the path of a file as it is, such as sqlite:/srv/trunkline.db: without //, parameters (?…) and percent-encoding (%20).';
  const oneHostRule =
    'DATABASE_URL must name one host: for several servers, use an address that always leads to the primary, such as that of a proxy.';
  it.for([
    ['PORT', 'http', 'PORT must be a whole number from 0 to 65535.'],
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535.'],
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535.'],
    ['PORT', '80.5', 'PORT must be a whole number from 0 to 65535.'],
    ['PUBLIC_URL', 'messages.example.com', publicUrlRule],
    ['PUBLIC_URL', 'ftp://messages.example.com', publicUrlRule],
    ['PUBLIC_URL', 'https://me:hush@messages.example.com', publicUrlRule],
    ['PUBLIC_URL', 'https://messages.example.com/?a=b', publicUrlRule],
    ['PUBLIC_URL', 'https://messages.example.com/#top', publicUrlRule],
    ['DATABASE_URL', 'mysql://db', databaseRule],
    ['DATABASE_URL', 'trunkline.db', databaseRule],
    ['DATABASE_URL', 'sqlite:', databaseRule],
    ['DATABASE_URL', 'sqlite::memory:', databaseRule],
    ['DATABASE_URL', 'postgres://me:hush@db:port', encodingRule],
    ['DATABASE_URL', 'postgres://me:hu#sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:12#sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:hu/sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:12/sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:h@u/sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:12?sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:12/sh==@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:hu%sh@db/trunkline', encodingRule],
    ['DATABASE_URL', 'postgres://me:hush@db1,db2/trunkline', oneHostRule],
    ['DATABASE_URL', 'postgres://me:hush@db1:5432,db2:5432/trunkline', oneHostRule],
    ['DATABASE_URL', 'sqlite:q.db?mode=ro', pathRule],
    ['DATABASE_URL', 'sqlite:./my%20db.db', pathRule],
    ['DATABASE_URL', 'sqlite://here.db', pathRule],
    ['DATABASE_URL', 'sqlite:file:here.db', pathRule],
    [
      'PUBLIC_URL',
      'https://messages.example.com/service/api/v1/',
      'PUBLIC_URL must be the address of the server, without /api/v1: set it to https://messages.example.com/service.',
    ],
    ['DATABASE_CONNECTIONS', '1', 'DATABASE_CONNECTIONS must be a whole number from 2 to 1000.'],
    ['DATABASE_POOL_MODE', 'statement', 'DATABASE_POOL_MODE must be session or transaction.'],
    [
      'GATEWAYS',
      'pigeon',
      'GATEWAYS must be a comma list of sandbox, whatsapp, sandbox_credentials, each at most once.',
    ],
    [
      'GATEWAYS',
      'sandbox,sandbox',
      'GATEWAYS must be a comma list of sandbox, whatsapp, sandbox_credentials, each at most once.',
    ],
    ['PACE', 'slow', 'PACE must be gentle or off.'],
    ['MESSAGES_PER_MINUTE', '0', 'MESSAGES_PER_MINUTE must be a whole number from 1 to 600.'],
    ['NEW_PEOPLE_PER_DAY', '-1', 'NEW_PEOPLE_PER_DAY must be a whole number from 0 to 10000.'],
    ['API_KEY', 'too-short', apiKeyRule],
    ['API_KEY', 'with a space in the middle', apiKeyRule],
    ['API_KEY', 'x'.repeat(129), apiKeyRule],
    ['API_KEY', `trk_${'0'.repeat(40)}`, apiKeyRule],
    [
      'SECRET_KEY',
      'x'.repeat(31),
      'SECRET_KEY must be at least 32 characters, as `openssl rand -base64 32` makes them.',
    ],
    [
      'SECRET_KEY_PREVIOUS',
      'hush',
      'SECRET_KEY_PREVIOUS must be at least 32 characters, as `openssl rand -base64 32` makes them.',
    ],
    ['WEBHOOK_URL_POLICY', 'any', 'WEBHOOK_URL_POLICY must be public or local.'],
    ['WEBHOOK_ALLOW', 'n8n:5678', `WEBHOOK_ALLOW must be a comma list of hosts, but "n8n:5678" ${hostRule}`],
    ['WEBHOOK_ALLOW', 'n8n,', `WEBHOOK_ALLOW must be a comma list of hosts, but "" ${hostRule}`],
    [
      'WEBHOOK_DENY',
      '10.0.0.0/33',
      `WEBHOOK_DENY must be a comma list of hosts, but "10.0.0.0/33" ${hostRule}`,
    ],
    ['STANDARD_WEBHOOKS', 'no', 'STANDARD_WEBHOOKS must be true or false.'],
    ['INSTANCE_HISTORY_DAYS', '0', 'INSTANCE_HISTORY_DAYS must be a whole number from 1 to 3650.'],
    ['GROUP_CHANGES_PER_HOUR', '0', 'GROUP_CHANGES_PER_HOUR must be a whole number from 1 to 10000.'],
    ['GROUP_PEOPLE_PER_DAY', 'all', 'GROUP_PEOPLE_PER_DAY must be a whole number from 1 to 10000.'],
    ['INSTANCE_DOWN_MINUTES', '-1', 'INSTANCE_DOWN_MINUTES must be a whole number from 0 to 44640.'],
    ['LINK_PREVIEWS', 'true', 'LINK_PREVIEWS must be off, requested or all.'],
    ['INSTANCE_PROXIES', 'yes', 'INSTANCE_PROXIES must be true or false.'],
    ['MESSAGE_RETENTION_DAYS', '0', 'MESSAGE_RETENTION_DAYS must be a whole number from 1 to 36500.'],
    ['RATE_LIMIT', 'some', 'RATE_LIMIT must be a whole number from 0 to 1000000000.'],
    ['ROLES', 'api,cook', 'ROLES must be a comma list of api, gateway, webhooks, maintenance.'],
    ['ROLES', ',', 'ROLES must be a comma list of api, gateway, webhooks, maintenance.'],
    [
      'SMTP_URL',
      'mail.example.com',
      'SMTP_URL must be a URL like smtp://user:password@mail.example.com:587.',
    ],
    ['MAIL_TO', 'ada@example.com,', 'MAIL_TO must be a comma list of email addresses.'],
    ['DASHBOARD', 'yes', 'DASHBOARD must be on or off.'],
    ['MCP', 'yes', 'MCP must be on or off.'],
    [
      'MCP_SEND_TO',
      '+15550123,*',
      'MCP_SEND_TO must be a comma list of phone numbers and ids, but "*" is not a phone number, nor a beginning of phone numbers such as +4930*, nor the id of a group or a contact.',
    ],
    [
      'MCP_SEND_KEYS',
      'trk_secret',
      'MCP_SEND_KEYS must be a comma list of ids of API keys, which begin with key_.',
    ],
    ['MCP_MESSAGES_PER_DAY', '0', 'MCP_MESSAGES_PER_DAY must be a whole number from 1 to 100000.'],
    ['DASHBOARD_TOKEN', 'short', 'DASHBOARD_TOKEN must be 16 to 128 printable characters without spaces.'],
    ['METRICS_TOKEN', 'short', 'METRICS_TOKEN must be 16 to 128 printable characters without spaces.'],
    ...['host', 'a:b:9464', '127.0.0.1:65536', 'http://127.0.0.1:9464', '127.0.0.1:'].map(
      (address) =>
        [
          'METRICS_ADDRESS',
          address,
          'METRICS_ADDRESS must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464, or a port alone.',
        ] as const,
    ),
    ...[
      'localhost:4318',
      'grpc://collector:4317',
      'http://me:hush@collector',
      'http://collector/?key=hush',
    ].map(
      (url) =>
        [
          'OTEL_EXPORTER_OTLP_ENDPOINT',
          url,
          'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://127.0.0.1:4318, without credentials, query and fragment.',
        ] as const,
    ),
    ...['hush', 'a=b,', 'a b=c', 'a=%0d%0ab', 'a=%zz'].map(
      (headers) =>
        [
          'OTEL_EXPORTER_OTLP_HEADERS',
          headers,
          'OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas, with values in URL encoding.',
        ] as const,
    ),
    ...['1.1', '-1', 'x', '1e-1'].map(
      (share) =>
        ['OTEL_TRACES_SAMPLER_ARG', share, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.'] as const,
    ),
    ['OTEL_METRICS_EXPORTER', 'console', 'OTEL_METRICS_EXPORTER must be otlp or none.'],
    ['LOG_FORMAT', 'xml', 'LOG_FORMAT must be json or text.'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent.'],
  ] as const)('%s=%s is one complaint, which shows no secret', ([name, value, complaint]) => {
    const isSecret = /KEY|TOKEN|SMTP|HEADERS/.test(name) || /:\/\/.*@/.test(value);
    const shown = isSecret ? '' : ` It is ${JSON.stringify(value)}.`;
    expect(complaintsAbout({ [name]: value })).toEqual([`${complaint}${shown}`]);
  });

  it('are trimmed', () => {
    const environment = { PORT: '8090\r', HOST: ' ::1\n', API_KEY: 'a-key-for-the-tests\r\n', ROLES: ' \r' };
    expect(readSettings(environment)).toMatchObject({
      port: 8090,
      host: '::1',
      apiKey: 'a-key-for-the-tests',
      roles: { api: true, gateway: true },
    });
  });

  it.for([
    ['API_KEY', '"a-key-for-the-tests"'],
    ['SECRET_KEY', "'a-secret-key-of-more-than-32-characters'"],
    ['DATA_DIR', '"data"\r'],
  ] as const)('are refused in quotes, which are not shown: %s=%s', ([name, value]) => {
    const [complaint] = complaintsAbout({ [name]: value });
    expect(complaint).toMatch(/^\w+ must not be in quotes: remove them\. Docker/);
    expect(complaint).not.toContain('key-');
  });

  it('are shown shortened, and without control characters', () => {
    const [complaint] = complaintsAbout({ PORT: `8\u001b${'0'.repeat(500)}` });
    expect(complaint).toMatch(/ It is "8\\u001b0{78}"\.$/);
  });

  it('DATABASE_URL takes what a password may have if it is encoded, and an @ in its query', () => {
    for (const url of [
      'postgres://me:h%40u%23s%2Fh%3F@db/trunkline',
      'postgres://me:h@ush@db/trunkline',
      'postgres://db/trunkline?user=me@example.com',
      'postgres:///trunkline?host=/var/run/postgresql',
    ])
      expect(readSettings({ DATABASE_URL: url }).database).toMatchObject({ kind: 'postgres', url });
  });

  it('are refused with one line for each', () => {
    expect(complaintsAbout({ HOST: 'localhost', PORT: 'x', LOG_LEVEL: 'loud' })).toHaveLength(2);
  });

  function complaintsAbout(environment: Record<string, string>): readonly string[] {
    try {
      readSettings(environment);
      return [];
    } catch (error) {
      return complaintsOf(error);
    }
  }
});
