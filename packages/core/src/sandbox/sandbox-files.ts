import { fromBase64 } from '../domain/base-encoding.ts';
import type { IncomingFile } from '../ports/gateway.ts';
import { filesToLose } from './network-account.ts';
import type { NetworkAccount } from './network-account.ts';
import type { InboundFile, NetworkRecord } from './network-record.ts';

interface FilesOptions {
  readonly account: NetworkAccount;
  readonly instanceId: string;
  readonly record: (happening: NetworkRecord) => void;
  /** Resolves at the time `at`, never if null; rejects if the connection closes first. */
  readonly until: (at: number | null) => Promise<void>;
}

/**
 * Hands out the files of messages on one connection. A file can be opened once the network has the file, and until it
 * was downloaded.
 */
export interface SandboxFiles {
  incoming(networkId: string, file: InboundFile): IncomingFile;
  /** Called when the service has taken the message. Its file stays until it is downloaded. */
  messageTaken(networkId: string, file: InboundFile): void;
  openFile(reference: Uint8Array): Promise<ReadableStream<Uint8Array>>;
}

/** The reference by which the file of a message, or a better copy of the file, is downloaded. */
export function referenceTo(networkId: string): Uint8Array {
  return new TextEncoder().encode(networkId);
}

export function sandboxFiles({ account, instanceId, record, until }: FilesOptions): SandboxFiles {
  /** Messages that are not taken yet, but whose files were read to the end. */
  const downloaded = new Set<string>();

  const open = async (file: InboundFile, read: () => void): Promise<ReadableStream<Uint8Array>> => {
    if (file.availableAt !== undefined) await until(file.availableAt);
    const content = new Blob([fromBase64(file.base64)]).stream();
    return content.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: read }));
  };

  /** The file of a message that the service has not taken yet. */
  const fileOf = (networkId: string): InboundFile | null => {
    const activity = account.activities.get(networkId);
    const sent = activity?.kind === 'echo' || activity?.kind === 'media_update' ? activity.file : null;
    return account.inbox.get(networkId)?.file ?? sent;
  };

  return {
    incoming: (networkId, file) => ({
      mimeType: file.mimeType,
      filename: file.filename,
      reference: referenceTo(networkId),
      open: () => open(file, () => void downloaded.add(networkId)),
    }),
    messageTaken(networkId, file) {
      if (downloaded.delete(networkId)) return;
      record({ instanceId, kind: 'file_kept', networkId, file });
      for (const lost of filesToLose(account)) record({ instanceId, kind: 'file_taken', networkId: lost });
    },
    async openFile(reference) {
      const networkId = new TextDecoder().decode(reference);
      const file = account.files.get(networkId) ?? fileOf(networkId);
      if (!file) throw new Error('The sandbox network does not have this file any more.');
      return open(file, () => {
        if (account.files.has(networkId)) record({ instanceId, kind: 'file_taken', networkId });
      });
    },
  };
}
