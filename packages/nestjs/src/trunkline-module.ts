import { Inject } from '@nestjs/common';
import type { DynamicModule, FactoryProvider, ModuleMetadata } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { createTrunkline } from '@trunkline/core';
import type { Trunkline, TrunklineOptions } from '@trunkline/core';
import type { HttpAppOptions } from '@trunkline/http';
import { TrunklineLifecycle } from './trunkline-lifecycle.ts';

/** The options of `createTrunkline`, and those for serving the API. */
export interface TrunklineModuleOptions<Transaction = never> extends TrunklineOptions<Transaction> {
  /**
   * The options of `createHttpApp`; `false` serves no API. By default, the API is at `/api/v1` if the process has the
   * role `api` and the app has an HTTP server.
   */
  readonly http?: HttpAppOptions | false | undefined;
}

/** Options that depend on other providers, such as a configuration. */
export interface TrunklineModuleAsyncOptions<Transaction = never>
  extends
    Pick<ModuleMetadata, 'imports'>,
    Pick<FactoryProvider<TrunklineModuleOptions<Transaction>>, 'inject' | 'useFactory'> {}

/** The injection token of the `Trunkline`, for `app.get` and for factories. */
export const TRUNKLINE: unique symbol = Symbol('@trunkline/nestjs: trunkline');
const OPTIONS = Symbol('@trunkline/nestjs: options');

interface Options<Transaction> {
  readonly http: TrunklineModuleOptions['http'];
  readonly service: TrunklineOptions<Transaction>;
}

/** Injects the `Trunkline` into a constructor. */
export function InjectTrunkline(): ParameterDecorator & PropertyDecorator {
  return Inject(TRUNKLINE);
}

/**
 * Runs one service with the app. The API comes before the app's own middleware and guards, without the global prefix.
 * The service starts in `onModuleInit`. When the app closes, event streams end first, so that the HTTP server can
 * close; the service stops in `onApplicationShutdown`.
 *
 * Import this global module once, in the root module.
 *
 * @example
 * TrunklineModule.forRoot({ ...nodeRuntime(), storage, gateway, secretKey: process.env.SECRET_KEY })
 */
export class TrunklineModule {
  /** Registers the module with these options. */
  static forRoot<Transaction = never>(options: TrunklineModuleOptions<Transaction>): DynamicModule {
    return TrunklineModule.forRootAsync({ useFactory: () => options });
  }

  /** Registers the module with the options that a factory returns, for example from an injected configuration. */
  static forRootAsync<Transaction = never>({
    imports = [],
    inject = [],
    useFactory,
  }: TrunklineModuleAsyncOptions<Transaction>): DynamicModule {
    return {
      module: TrunklineModule,
      global: true,
      imports,
      providers: [
        {
          provide: OPTIONS,
          inject,
          useFactory: async (...args: unknown[]): Promise<Options<Transaction>> => {
            const { http, ...service } = await useFactory(...args);
            return { http, service };
          },
        },
        {
          provide: TRUNKLINE,
          inject: [OPTIONS],
          useFactory: ({ service }: Options<Transaction>) => createTrunkline(service),
        },
        {
          provide: TrunklineLifecycle,
          inject: [TRUNKLINE, OPTIONS, HttpAdapterHost],
          useFactory: (
            trunkline: Trunkline<Transaction>,
            { http }: Options<Transaction>,
            host: HttpAdapterHost,
          ) => new TrunklineLifecycle(trunkline, { http, host }),
        },
      ],
      exports: [TRUNKLINE],
    };
  }
}
