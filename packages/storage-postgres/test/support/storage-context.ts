import { randomBytes } from 'node:crypto';
import { createNewId } from '@trunkline/core';
import type { NewId, StorageContext } from '@trunkline/core';

const newId: NewId = createNewId((length) => randomBytes(length));

export const storageContext: StorageContext = {
  newId,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
};
