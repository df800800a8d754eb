import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { BeforeApplicationShutdown, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { Trunkline } from '@trunkline/core';
import { createHttpApp } from '@trunkline/http';
import type { HttpAppOptions } from '@trunkline/http';

interface Mount {
  readonly http: HttpAppOptions | false | undefined;
  readonly host: HttpAdapterHost;
}

/** Mounts the API, and starts and stops the service with the app. */
export class TrunklineLifecycle implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #trunkline: Pick<Trunkline, 'start' | 'endStreams' | 'stop'>;

  constructor(trunkline: Trunkline<never>, { http = {}, host }: Mount) {
    this.#trunkline = trunkline;
    if (http === false || !trunkline.roles.api) return;
    const handle = apiOf(trunkline, http);
    // A module's `configure` would be too late, because it runs after the body parsers are added. Wait for `init$`,
    // because a module of @nestjs/testing gets its adapter after its providers. An app without a server has no adapter.
    host.init$.subscribe(() => {
      const adapter: HttpAdapterHost['httpAdapter'] | null = host.httpAdapter;
      adapter?.use(handle);
    });
  }

  async onModuleInit(): Promise<void> {
    await this.#trunkline.start();
  }

  /** The HTTP server waits for every response, and an event stream does not end on its own. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#trunkline.endStreams();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#trunkline.stop();
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

function apiOf(trunkline: Trunkline<never>, options: HttpAppOptions): Handler {
  const { basePath = '/api/v1' } = options;
  const listener = getRequestListener(createHttpApp(trunkline, options).fetch, {
    overrideGlobalObjects: false,
  });
  return (request, response, next) => {
    if (isBelow(request.url ?? '', basePath)) void listener(request, response);
    else next();
  };
}

function isBelow(url: string, basePath: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path.startsWith(`${basePath}/`);
}
