import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;
const SALT_INDEX = ['nct_salt_sync'];
/** How many messages the owner has starred, which are records of the same collection. */
const STARRED = 50;

/**
 * The collection `regular_high` of the state that an account's devices share, encrypted as whatsmeow's
 * `appstate/encode.go` does. Nothing is checked that clients would need the hash of the state for.
 */
export class SharedState {
  readonly keyId: Buffer = randomBytes(6);
  readonly keyData: Buffer = randomBytes(32);
  readonly #changes: { readonly isRemoval: boolean; readonly record: proto.ISyncdRecord }[] = [];

  constructor(salt: Uint8Array | null) {
    for (let index = 0; index < STARRED; index += 1)
      this.#change(['star', '15550000000@s.whatsapp.net', `3A${index}`, '0', '0'], randomBytes(40));
    if (salt) this.setSalt(salt);
  }

  /** The number of changes so far. */
  get version(): number {
    return this.#changes.length;
  }

  setSalt(salt: Uint8Array): void {
    // `SyncActionValue.nctSaltSyncAction`, field 80, which Baileys' definition lacks.
    const action = Buffer.concat([Buffer.from([0x0a, salt.length]), salt]);
    this.#change(SALT_INDEX, Buffer.concat([Buffer.from([0x82, 0x05, action.length]), action]));
  }

  removeSalt(): void {
    this.#change(SALT_INDEX, null);
  }

  /** An encoded `SyncdSnapshot`. */
  snapshot(): Uint8Array {
    const latest = new Map<string, proto.ISyncdRecord>();
    for (const { isRemoval, record } of this.#changes) {
      const index = Buffer.from(record.index?.blob ?? []).toString('hex');
      if (isRemoval) latest.delete(index);
      else latest.set(index, record);
    }
    return proto.SyncdSnapshot.encode({
      version: { version: this.version },
      records: [...latest.values()],
      mac: randomBytes(32),
      keyId: { id: this.keyId },
    }).finish();
  }

  /** An encoded `SyncdPatch` for each later change. */
  patchesSince(version: number): readonly Uint8Array[] {
    return this.#changes.slice(version).map(({ isRemoval, record }, index) =>
      proto.SyncdPatch.encode({
        version: { version: version + index + 1 },
        mutations: [{ operation: isRemoval ? REMOVE : SET, record }],
        keyId: { id: this.keyId },
      }).finish(),
    );
  }

  #change(indexed: readonly string[], value: Uint8Array | null): void {
    const isRemoval = value === null;
    const index = Buffer.from(JSON.stringify(indexed));
    const data = { index, version: 1, padding: Buffer.alloc(0) };
    // The value is the last field, because it may have fields that Baileys does not know.
    const valueField = value === null ? [] : [Buffer.from([0x12, value.length]), value];
    const plain = Buffer.concat([proto.SyncActionData.encode(data).finish(), ...valueField]);
    const [indexKey, valueKey, macKey] = this.#keys();
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', valueKey, iv);
    const content = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    const additional = Buffer.concat([Buffer.from([isRemoval ? 2 : 1]), this.keyId]);
    const length = Buffer.from([0, 0, 0, 0, 0, 0, 0, additional.length]);
    const mac = createHmac('sha512', macKey)
      .update(Buffer.concat([additional, content, length]))
      .digest()
      .subarray(0, 32);
    this.#changes.push({
      isRemoval,
      record: {
        index: { blob: createHmac('sha256', indexKey).update(index).digest() },
        value: { blob: Buffer.concat([content, mac]) },
        keyId: { id: this.keyId },
      },
    });
  }

  #keys(): readonly [Buffer, Buffer, Buffer] {
    const expanded = Buffer.from(hkdfSync('sha256', this.keyData, '', 'WhatsApp Mutation Keys', 160));
    return [expanded.subarray(0, 32), expanded.subarray(32, 64), expanded.subarray(64, 96)];
  }
}
