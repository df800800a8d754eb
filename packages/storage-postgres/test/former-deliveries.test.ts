import { idToUuid } from '@trunkline/core/spi/storage';
import { describeFormerDeliveries } from '@trunkline/storage-contract/former-deliveries';
import { openStorage, temporarySchema } from './support/open-storage.ts';

describeFormerDeliveries('PostgreSQL', async () => {
  const { url, name, pool } = await temporarySchema();
  return {
    storage: await openStorage({ url, name }),
    makeFormer: async (delivery, id) => {
      await pool.query(`UPDATE "${name}".open_deliveries SET id = $1 WHERE id = $2`, [
        idToUuid('whd', id),
        idToUuid('whd', delivery.id),
      ]);
      await pool.query(`UPDATE "${name}".events SET deliveries_beside = NULL WHERE id = $1`, [
        idToUuid('evt', delivery.eventId),
      ]);
    },
  };
});
