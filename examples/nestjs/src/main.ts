import { NestFactory } from '@nestjs/core';
import type { Trunkline } from '@trunkline/core';
import { TRUNKLINE } from '@trunkline/nestjs';
import { AppModule } from './app.module.js';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
  const { token } = await app.get<Trunkline>(TRUNKLINE).admin.apiKeys.createFirst();
  if (token !== null) console.log('API key:', token); // at the first start
  console.log('listening', app.getHttpServer().address());
}
void bootstrap();
