import { fromConfigFile } from './settings/config-file.ts';
import type { NetworkName } from './settings/network-list.ts';
import { serverLogger } from './telemetry/server-logger.ts';
import { fromEnvironment, fromOptions } from './settings/setting-sources.ts';
import { readSettings } from './settings/settings.ts';
import type { Settings } from './settings/settings.ts';
import { startServer } from './start-server.ts';
import type { RunningServer } from './start-server.ts';

export type { RunningServer } from './start-server.ts';

/** The settings of docs/running.md. The environment overrides the file, and the options override both. */
export interface ServeOptions {
  /** The path of a configuration file. If omitted, no file is read. */
  readonly configFile?: string | undefined;
  /** Variables, usually `process.env`. If omitted, no variable is read. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;

  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port?: number | undefined;
  readonly publicUrl?: string | undefined;
  /** The directory for all files of the server. Default `data`. */
  readonly dataDir?: string | undefined;
  /** `sqlite:<path>` or `postgres://…`. */
  readonly databaseUrl?: string | undefined;
  readonly databaseConnections?: number | undefined;
  /** `transaction` behind a pooler that assigns connections for each transaction, such as PgBouncer. */
  readonly databasePoolMode?: 'session' | 'transaction' | undefined;
  readonly s3Bucket?: string | undefined;
  readonly s3Region?: string | undefined;
  readonly s3Endpoint?: string | undefined;
  readonly s3Prefix?: string | undefined;
  readonly s3Exclusive?: boolean | undefined;
  readonly s3KeyId?: string | undefined;
  readonly s3SecretKey?: string | undefined;
  /** The messaging networks; a new instance is on the first one unless its creator names another. */
  readonly gateways?: readonly NetworkName[] | undefined;
  /** How fast numbers send on networks that ban hasty ones. Default `gentle`. */
  readonly pace?: 'gentle' | 'off' | undefined;
  readonly messagesPerMinute?: number | undefined;
  readonly newPeoplePerDay?: number | undefined;
  readonly showTyping?: boolean | undefined;
  readonly apiKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly secretKeyPrevious?: string | undefined;
  readonly webhookUrlPolicy?: 'public' | 'local' | undefined;
  readonly webhookAllow?: readonly string[] | undefined;
  readonly webhookDeny?: readonly string[] | undefined;
  readonly standardWebhooks?: boolean | undefined;
  readonly instanceProxies?: boolean | undefined;
  readonly linkPreviews?: 'off' | 'requested' | 'all' | undefined;
  readonly groupChangesPerHour?: number | undefined;
  readonly groupPeoplePerDay?: number | undefined;
  readonly instanceHistoryDays?: number | undefined;
  /** Minutes until an email is sent; 0 sends none. */
  readonly instanceDownMinutes?: number | undefined;
  /** If omitted, messages are kept until they are erased. */
  readonly messageRetentionDays?: number | undefined;
  /** Requests per minute and API key; 0 turns the limit off. */
  readonly rateLimit?: number | undefined;
  readonly roles?: readonly ('api' | 'gateway' | 'webhooks' | 'maintenance')[] | undefined;
  readonly smtpUrl?: string | undefined;
  readonly mailTo?: readonly string[] | undefined;
  /** Such as `127.0.0.1:9464`, or a port. */
  readonly metricsAddress?: string | undefined;
  readonly metricsToken?: string | undefined;
  /** Whether the reference of the API is served as a page, at `/api/v1/docs`. */
  readonly apiDocs?: 'on' | 'off' | undefined;
  /** Whether the dashboard is served next to the API. */
  readonly dashboard?: 'on' | 'off' | undefined;
  readonly dashboardToken?: string | undefined;
  /** Whether the MCP server is served next to the API. */
  readonly mcp?: 'on' | 'off' | undefined;
  /** Phone numbers, beginnings of phone numbers such as `+4930*`, and ids of groups and contacts. */
  readonly mcpSendTo?: readonly string[] | undefined;
  readonly mcpSendFrom?: readonly string[] | undefined;
  readonly mcpSendKeys?: readonly string[] | undefined;
  readonly mcpMessagesPerDay?: number | undefined;
  readonly mcpRetries?: boolean | undefined;
  readonly otelExporterOtlpEndpoint?: string | undefined;
  /** `name=value`, separated by commas, values in URL encoding. */
  readonly otelExporterOtlpHeaders?: string | undefined;
  readonly otelServiceName?: string | undefined;
  readonly otelMetricsExporter?: 'otlp' | 'none' | undefined;
  /** In milliseconds. */
  readonly otelMetricExportInterval?: number | undefined;
  readonly otelTracesExporter?: 'otlp' | 'none' | undefined;
  /** The share of traces to record, 0 to 1. */
  readonly otelTracesSamplerArg?: number | undefined;
  /** In seconds. */
  readonly stopTimeout?: number | undefined;
  /** The lowest level that is logged, on stderr. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | undefined;
  /** If omitted, `text` if stderr is a terminal, otherwise `json`. */
  readonly logFormat?: 'json' | 'text' | undefined;
}

/**
 * Starts the server, and resolves when it is ready. Prints its address and, to a terminal only, the first API key and a
 * link to the dashboard. Rejects with an error that names each fault in a line, if possible before anything is written.
 *
 * Signals and unexpected errors are left to the program; `runServer` handles them.
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const settings = await settingsOf(options);
  return startServer(settings, serverLogger(settings));
}

export async function settingsOf({
  configFile,
  environment = {},
  ...options
}: ServeOptions): Promise<Settings> {
  const inFile = configFile === undefined ? [] : await fromConfigFile(configFile);
  return readSettings([...inFile, ...fromEnvironment(environment), ...fromOptions(options)]);
}
