import { setTimeout } from 'node:timers/promises';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '@trunkline/storage-sqlite';

const gateways = [createSandbox({ scansQrs: true }).gateway];
const storage = sqliteStorage({ path: 'trunkline.db' });
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways, secretKey: process.env.SECRET_KEY });
await trunkline.start();
const api = trunkline.workspace((await trunkline.admin.workspaces.create({ name: 'Acme' })).id);
const { id: instance } = await api.instances.create({ name: 'Orders' });
await api.instances.connect(instance);
while ((await api.instances.get(instance)).status !== 'connected') await setTimeout(50);
const { message } = await api.messages.send({ instance, to: '+1 555 0100', type: 'text', text: 'Hello' });

// The rest is only for the script: it waits until the message is read, and stops.
while ((await api.messages.get(message.id)).status !== 'read') await setTimeout(50);
console.log(message.id, 'read');
await trunkline.stop();
