import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Body, Controller, Module, Post } from '@nestjs/common';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SCOPES } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createClient, unwrap } from '@trunkline/http/client';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { InjectTrunkline, TRUNKLINE, TrunklineModule } from '../src/index.ts';
import type { TrunklineModuleOptions } from '../src/index.ts';

const options = (more: Partial<TrunklineModuleOptions> = {}): TrunklineModuleOptions => ({
  ...nodeRuntime(),
  storage: sqliteStorage({ path: ':memory:' }),
  gateways: [createSandbox({ scansQrs: true }).gateway],
  secretKey: 'of the tests, with thirty-two characters',
  ...more,
});

/**
 * The app's own route, which needs the parsed body and the service. Decorated by hand: Vitest does not support
 * decorators.
 */
class Names {
  readonly #trunkline: Trunkline;
  constructor(trunkline: Trunkline) {
    this.#trunkline = trunkline;
  }
  async create(body: { readonly name: string }): Promise<string> {
    return (await this.#trunkline.admin.workspaces.create(body)).name;
  }
}
Controller('names')(Names);
InjectTrunkline()(Names, undefined, 0);
const { create } = Object.getOwnPropertyDescriptors(Names.prototype);
Post()(Names.prototype, 'create', create);
Body()(Names.prototype, 'create', 0);

function appModule(trunkline: DynamicModule): new () => object {
  class App {}
  Module({ imports: [trunkline], controllers: [Names] })(App);
  return App;
}

const ADAPTERS = Object.entries({ Express: ExpressAdapter, Fastify: FastifyAdapter });

async function start(
  Adapter: new () => AbstractHttpAdapter,
  trunkline = TrunklineModule.forRoot(options()),
): Promise<App> {
  const app = await NestFactory.create(appModule(trunkline), new Adapter(), { logger: false });
  onTestFinished(() => app.close());
  app.setGlobalPrefix('app');
  return listening(app);
}

interface App {
  readonly app: INestApplication;
  readonly trunkline: Trunkline;
  readonly origin: string;
}

async function listening(app: INestApplication): Promise<App> {
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo; // not a string, because it listens on a port
  return { app, trunkline: app.get<Trunkline>(TRUNKLINE), origin: `http://127.0.0.1:${port}` };
}

async function clientOf(
  { trunkline, origin }: App,
  basePath = '/api/v1',
): Promise<ReturnType<typeof createClient>> {
  const { workspaces, apiKeys } = trunkline.admin;
  const { id: workspaceId } = await workspaces.create({ name: 'Acme' });
  const { token } = await apiKeys.create({ workspaceId, name: 'Tests', scopes: SCOPES });
  return createClient({ baseUrl: origin + basePath, apiKey: token });
}

describe.each(ADAPTERS)('TrunklineModule in an app on %s', (_name, Adapter) => {
  it("serves the API in front of body parsers, next to the app's routes", async () => {
    const app = await start(Adapter);
    const client = await clientOf(app);
    const { id } = unwrap(await client.instances.create({ name: 'Orders' })).data;
    unwrap(await client.instances.connect(id));
    await eventually(async () =>
      expect(unwrap(await client.instances.get(id)).data.status).toBe('connected'),
    );
    const message = { instance: id, to: '+1 555 0100', type: 'text', text: 'Hello' } as const;
    const sent = unwrap(await client.messages.send(message)).data;
    await eventually(async () => expect(unwrap(await client.messages.get(sent.id)).data.status).toBe('read'));

    const own = await fetch(`${app.origin}/app/names`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Beside it"}',
    });
    expect([own.status, await own.text()]).toEqual([201, 'Beside it']);
    expect((await fetch(`${app.origin}/api/v10/instances`)).headers.has('X-Request-Id')).toBe(false);
  });

  it('closes while an event stream is open, and stops the service', async () => {
    const app = await start(Adapter);
    const client = await clientOf(app);
    const stream = unwrap(await client.events.stream()).data[Symbol.asyncIterator]();
    await stream.next(); // the position at the beginning
    const ended = stream.next().then(
      () => 'ended',
      () => 'ended',
    );
    await app.app.close();
    expect(await ended).toBe('ended');
    await expect(fetch(app.origin)).rejects.toThrow('fetch failed');
    await expect(app.trunkline.admin.workspaces.list()).rejects.toThrow(/stop|start/);
  });

  it('serves the API elsewhere, or not at all', async () => {
    const elsewhere = await start(
      Adapter,
      TrunklineModule.forRoot(options({ http: { basePath: '/messaging' } })),
    );
    const client = await clientOf(elsewhere, '/messaging');
    expect(unwrap(await client.instances.list()).data).toEqual([]);

    const nowhere = await start(Adapter, TrunklineModule.forRoot(options({ http: false })));
    const response = await fetch(`${nowhere.origin}/api/v1/instances`);
    expect([response.status, response.headers.has('X-Request-Id')]).toEqual([404, false]);
  });
});

describe('TrunklineModule', () => {
  it('takes its options from another provider', async () => {
    const Configuration = Symbol('configuration');
    class ConfigurationModule {}
    const configuration: DynamicModule = {
      module: ConfigurationModule,
      providers: [{ provide: Configuration, useValue: { basePath: '/configured' } }],
      exports: [Configuration],
    };
    const trunkline = TrunklineModule.forRootAsync({
      imports: [configuration],
      inject: [Configuration],
      useFactory: async (http: { readonly basePath: string }) => options({ http }),
    });
    const client = await clientOf(await start(ExpressAdapter, trunkline), '/configured');
    expect(unwrap(await client.instances.list()).data).toEqual([]);
  });

  it('serves the API in an app of @nestjs/testing, which gets its server later', async () => {
    const builder = Test.createTestingModule({ imports: [TrunklineModule.forRoot(options())] });
    const app = (await builder.compile()).createNestApplication({ logger: false });
    onTestFinished(() => app.close());
    const client = await clientOf(await listening(app));
    expect(unwrap(await client.instances.list()).data).toEqual([]);
  });

  it('runs the service in an application without a server', async () => {
    const App = appModule(TrunklineModule.forRoot(options()));
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    const trunkline = app.get<Trunkline>(TRUNKLINE);
    expect(await trunkline.admin.workspaces.list()).toEqual([]);
    await app.close();
    await expect(trunkline.admin.workspaces.list()).rejects.toThrow(/stop|start/);
  });

  it('names the option that is wrong', async () => {
    const App = appModule(TrunklineModule.forRoot(options({ secretKey: 'short' })));
    const made = NestFactory.create(App, { logger: false, abortOnError: false });
    await expect(made).rejects.toThrow(/secretKey/);
  });
});
