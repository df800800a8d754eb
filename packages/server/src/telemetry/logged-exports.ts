import type { Logger } from '@trunkline/core';

/** The result that OpenTelemetry's exporters report: code 0 is success. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
}

/**
 * Makes the exporter log the first of several failures in a row, and the first success after them, because the library
 * itself logs nothing.
 */
export function loggedExports<Batch, Kind extends Exporter<Batch>>(
  exporter: Kind & Exporter<Batch>,
  { what, logger }: { readonly what: string; readonly logger: Logger },
): Kind {
  let isFailing = false;
  const note = ({ code, error }: ExportResult): void => {
    const failed = code !== 0;
    if (failed && !isFailing)
      logger.warn(
        { err: error },
        `${what} could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT, and are lost until it takes them again: check the collector and its address`,
      );
    if (!failed && isFailing) logger.info({}, `${what} are sent to OTEL_EXPORTER_OTLP_ENDPOINT again`);
    isFailing = failed;
  };
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      note(result);
      done(result);
    });
  return exporter;
}
