import type {
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys';
import { ownKeys } from '../session/signal-keys.ts';
import type { Arrivals } from './arrivals.ts';

type MakeRepository = SocketConfig['makeSignalRepository'];

/**
 * Baileys tells the network that it has a message before it tells us. So what a message says is stored in the very
 * transaction in which its decryption uses a key up: from then on it cannot be lost, and before, the network still has it.
 */
export function recordingRepository(make: MakeRepository, arrivals: Arrivals): MakeRepository {
  return (auth, ...rest) => {
    const repository = make(auth, ...rest);
    const keys = auth.keys as SignalKeyStoreWithTransaction; // makeWASocket adds the transactions before it calls this
    const recorded = async (
      transactionKey: string,
      ciphertext: Uint8Array,
      decrypt: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> => {
      // The key that the repository itself takes: its own transaction becomes a part of this one.
      const { plaintext, arrival } = await keys.transaction(async () => {
        const opened = await decrypt();
        const recording = arrivals.record(ciphertext, opened);
        if (recording) await keys.set(ownKeys(recording.keys));
        return { plaintext: opened, arrival: recording };
      }, transactionKey);
      if (arrival) arrivals.announce(arrival);
      return plaintext;
    };

    return Object.assign(Object.create(repository), {
      decryptMessage: (options) =>
        recorded(options.jid, options.ciphertext, () => repository.decryptMessage(options)),
      decryptGroupMessage: (options) =>
        recorded(options.group, options.msg, () => repository.decryptGroupMessage(options)),
    } satisfies Partial<SignalRepositoryWithLIDStore>) as SignalRepositoryWithLIDStore; // the rest is inherited
  };
}
