import { NestFactory } from '@nestjs/core';
import { SCOPES } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { TRUNKLINE } from '@trunkline/nestjs';
import { AppModule } from './app.module.js';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
  const { workspaces, apiKeys } = app.get<Trunkline>(TRUNKLINE).admin;
  const [{ id: workspaceId } = await workspaces.create({ name: 'Acme' })] = await workspaces.list();
  const { token } = await apiKeys.create({ workspaceId, name: 'First steps', scopes: SCOPES });
  console.log('listening', app.getHttpServer().address(), token);
}
void bootstrap();
