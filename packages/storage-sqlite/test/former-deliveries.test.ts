import { join } from 'node:path';
import { describeFormerDeliveries } from '@trunkline/storage-contract/former-deliveries';
import { openWithConnection } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

describeFormerDeliveries('SQLite', async () => {
  const { storage, connection } = await openWithConnection(join(temporaryDirectory(), 'test.db'));
  return {
    storage,
    makeFormer: async (delivery, id) => {
      connection.prepare('UPDATE deliveries SET id = ? WHERE id = ?').run(id, delivery.id);
      connection.prepare('UPDATE due SET delivery_id = ? WHERE delivery_id = ?').run(id, delivery.id);
    },
  };
});
