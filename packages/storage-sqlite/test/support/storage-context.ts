import { randomBytes } from 'node:crypto';
import { createNewId } from '@trunkline/core/spi/storage';
import type { NewId, StorageContext } from '@trunkline/core/spi/storage';

const newId: NewId = createNewId((length) => randomBytes(length));

export const storageContext: StorageContext = {
  newId,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
};
