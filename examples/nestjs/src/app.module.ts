import { Module } from '@nestjs/common';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { TrunklineModule } from '@trunkline/nestjs';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { OrdersController } from './orders.controller.js';

const gateways = [createSandbox({ scansQrs: true }).gateway];
const storage = sqliteStorage({ path: 'trunkline.db' });

@Module({
  imports: [
    TrunklineModule.forRoot({ ...nodeRuntime(), storage, gateways, secretKey: process.env.SECRET_KEY }),
  ],
  controllers: [OrdersController],
})
export class AppModule {}
