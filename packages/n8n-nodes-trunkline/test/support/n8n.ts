import { EventEmitter } from 'node:events';
import { must } from '@trunkline/test-support';
import { NodeApiError, NodeHelpers } from 'n8n-workflow';
import { asText } from '../../nodes/Trunkline/as-text.ts';
import type {
  IBinaryData,
  ICredentialType,
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IWebhookFunctions,
  JsonObject,
} from 'n8n-workflow';

/**
 * The part of n8n that a node sees: parameters with defaults and without hidden ones (by n8n's own rules), credentials
 * in requests, n8n's HTTP helper and binary data. Static data is kept as JSON only.
 */
export interface N8n {
  execute(node: INodeType, run: Run): Promise<INodeExecutionData[]>;
  list(node: INodeType, method: string, parameters?: INodeParameters): Promise<readonly string[]>;
  workflow(trigger: INodeType, parameters: INodeParameters): TriggerWorkflow;
}

export interface Run {
  readonly parameters: INodeParameters;
  readonly input?: readonly Pick<INodeExecutionData, 'json' | 'binary'>[];
  readonly executionId?: string;
  /** A retry from the list of executions keeps this time, but not the id. */
  readonly establishedAt?: number;
  readonly runIndex?: number;
  readonly continueOnFail?: boolean;
}

export interface TriggerWorkflow {
  /** A test may replace them, as the editor does. */
  parameters: INodeParameters;
  activate(): Promise<void>;
  deactivate(): Promise<void>;
  /** "Listen for test event" in the editor. Returns a function that stops listening. */
  listen(): Promise<() => Promise<void>>;
  receive(request: Request): Promise<Response>;
  /** Delivers a request with Node's headers. */
  deliver(request: Delivered): Promise<{ readonly status: number; readonly text: string }>;
  /** Whether n8n cannot start executions, for example without its database, and responds with 500. */
  cannotStart: boolean;
  readonly started: readonly IDataObject[];
  staticData: IDataObject;
}

interface Delivered {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly rawBody: Buffer;
}

export function startN8n(credential: ICredentialType, values: IDataObject): N8n {
  const shared = (node: INodeType, parameters: INodeParameters): Shared => {
    const properties = withDefaults(node, parameters);
    return {
      getNode: () => nodeOf(node, properties),
      getCredentials: async () => values,
      getInstanceId: () => 'instance-of-n8n',
      getWorkflow: () => ({ id: 'WvYpq0pZ7nMd1xQe', name: 'Orders', active: true }),
      parameter: (name, fallback, options) => read(properties, { name, fallback, options }),
      helpers: {
        async httpRequestWithAuthentication(_type: string, options: IHttpRequestOptions) {
          try {
            return await httpRequest(authenticated(options, credential, values));
          } catch (error) {
            throw new NodeApiError(nodeOf(node, properties), error as JsonObject);
          }
        },
      },
    };
  };

  return {
    async execute(
      node,
      { parameters, input = [{ json: {} }], executionId = '1', establishedAt, runIndex = 0, continueOnFail },
    ) {
      const { parameter, helpers, ...rest } = shared(node, parameters);
      const context = {
        ...rest,
        getInputData: () => input,
        getExecutionId: () => executionId,
        getExecutionContext: () => (establishedAt === undefined ? undefined : { establishedAt }),
        getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
        continueOnFail: () => continueOnFail ?? false,
        getNodeParameter: (name: string, _item: number, fallback?: unknown, options?: Extract) =>
          parameter(name, fallback, options),
        helpers: { ...helpers, ...binaryHelpers(input) },
      };
      const execute = must(node.execute);
      const [items = []] = (await execute.call(
        context as unknown as IExecuteFunctions,
      )) as INodeExecutionData[][];
      return items;
    },

    async list(node, method, parameters = {}) {
      const { parameter, ...rest } = shared(node, parameters);
      const context = {
        ...rest,
        getCurrentNodeParameter: (name: string, options?: Extract) => parameter(name, undefined, options),
      } as unknown as ILoadOptionsFunctions;
      const search = node.methods?.listSearch?.[method];
      if (search !== undefined) return (await search.call(context)).results.map(({ name }) => name);
      return ((await node.methods?.loadOptions?.[method]?.call(context)) ?? []).map(({ name }) => name);
    },

    workflow(node, parameters) {
      const started: IDataObject[] = [];
      const workflow: TriggerWorkflow = {
        parameters,
        started,
        staticData: {},
        cannotStart: false,
        activate: () => register('trigger'),
        deactivate: () => unregister('trigger'),
        async listen() {
          await register('manual');
          return () => unregister('manual');
        },
        receive,
        deliver,
      };
      const addressOf = (mode: string): string =>
        `https://n8n.example.com/${mode === 'manual' ? 'webhook-test' : 'webhook'}/5f0c/webhook`;

      async function inContext<Value>(
        mode: string,
        work: (context: ReturnType<typeof contextOf>) => Promise<Value>,
      ): Promise<Value> {
        const data = structuredClone(workflow.staticData);
        const result = await work(contextOf(mode, data));
        workflow.staticData = JSON.parse(JSON.stringify(data)) as IDataObject; // as stored in n8n's database
        return result;
      }
      function contextOf(mode: string, staticData: IDataObject) {
        const { parameter, ...rest } = shared(node, workflow.parameters);
        return {
          ...rest,
          getMode: () => mode,
          getWorkflowStaticData: () => staticData,
          getNodeWebhookUrl: () => addressOf(mode),
          getNodeParameter: (name: string, fallback?: unknown, options?: Extract) =>
            parameter(name, fallback, options),
        };
      }
      const hooks = node.webhookMethods?.['default'];
      async function register(mode: string): Promise<void> {
        await inContext(mode, async (context) => {
          const self = context as unknown as IHookFunctions;
          if (!(await hooks?.checkExists.call(self))) await hooks?.create.call(self);
        });
      }
      async function unregister(mode: string): Promise<void> {
        await inContext(mode, async (context) => hooks?.delete.call(context as unknown as IHookFunctions));
      }
      async function receive(request: Request): Promise<Response> {
        const { url, headers } = request;
        const rawBody = Buffer.from(await request.arrayBuffer());
        const { status, text } = await deliver({ url, headers: Object.fromEntries(headers), rawBody });
        return new Response(text, { status });
      }
      async function deliver({
        url,
        headers,
        rawBody,
      }: Delivered): Promise<{ status: number; text: string }> {
        const mode = url === addressOf('manual') ? 'manual' : 'webhook';
        const sent = { status: 200, text: '' };
        const closed = new EventEmitter();
        const response = {
          status: (status: number) => Object.assign(response, void (sent.status = status)),
          type: () => response,
          send: (text: string) => void (sent.text = text),
          once: (name: string, listener: () => void) => closed.once(name, listener),
          get statusCode() {
            return sent.status;
          },
          writableFinished: true,
        };
        const result = await inContext(mode, async (context) =>
          node.webhook?.call({
            ...context,
            getHeaderData: () => headers,
            getRequestObject: () => ({ rawBody }),
            getResponseObject: () => response,
          } as unknown as IWebhookFunctions),
        );
        if (result?.workflowData !== undefined && workflow.cannotStart) Object.assign(sent, { status: 500 });
        else for (const { json } of result?.workflowData?.flat() ?? []) started.push(json);
        closed.emit('close');
        if (sent.status === 500) return sent;
        return result?.noWebhookResponse === true
          ? sent
          : { status: 200, text: asText(result?.webhookResponse) };
      }
      return workflow;
    },
  };
}

interface Extract {
  readonly extractValue?: boolean;
}

interface Shared {
  readonly getNode: () => INode;
  readonly getCredentials: () => Promise<IDataObject>;
  readonly getInstanceId: () => string;
  readonly getWorkflow: () => { readonly id: string; readonly name: string; readonly active: boolean };
  readonly parameter: (name: string, fallback: unknown, options?: Extract) => unknown;
  readonly helpers: object;
}

function nodeOf({ description }: INodeType, parameters: INodeParameters): INode {
  return {
    id: '9b1f6e0c-5a63-4d0e-8d0b-1c1a7d2f3e4a',
    name: description.displayName,
    type: `n8n-nodes-trunkline.${description.name}`,
    typeVersion: 1,
    position: [0, 0],
    parameters,
  };
}

function withDefaults(node: INodeType, parameters: INodeParameters): INodeParameters {
  const given = nodeOf(node, parameters);
  const { properties } = node.description;
  return NodeHelpers.getNodeParameters(properties, parameters, true, false, given, node.description) ?? {};
}

function read(
  parameters: INodeParameters,
  { name, fallback, options }: { name: string; fallback: unknown; options: Extract | undefined },
): unknown {
  const value = name
    .split('.')
    .reduce<unknown>((from, key) => (isRecord(from) ? from[key] : undefined), parameters);
  if (value === undefined && fallback === undefined) throw new Error(`Could not get parameter "${name}".`);
  const isLocator = isRecord(value) && value['__rl'] === true;
  return options?.extractValue === true && isLocator ? value['value'] : (value ?? fallback);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function authenticated(
  options: IHttpRequestOptions,
  { authenticate }: ICredentialType,
  values: IDataObject,
): IHttpRequestOptions {
  const headers =
    typeof authenticate === 'object' && authenticate.type === 'generic'
      ? authenticate.properties.headers
      : {};
  const filled = Object.entries(headers ?? {}).map(([name, text]) => [name, resolve(asText(text), values)]);
  return { ...options, headers: { ...options.headers, ...Object.fromEntries(filled) } };
}

/** Only for the kind of expression that the credentials' headers use. */
function resolve(text: string, credentials: IDataObject): string {
  if (!text.startsWith('=')) return text;
  return text
    .slice(1)
    .replaceAll(/\{\{\$credentials\.(\w+)\}\}/g, (_, name: string) => asText(credentials[name]));
}

/**
 * Acts like axios where it matters: sends objects as JSON, GET without a body, and throws for a failure unless errors
 * are ignored.
 */
async function httpRequest(options: IHttpRequestOptions): Promise<unknown> {
  const { method = 'GET', headers = {}, qs = {}, body } = options;
  const url = new URL(options.url);
  for (const [name, value] of Object.entries(qs))
    if (value !== undefined) url.searchParams.append(name, asText(value));
  const sent = new Headers(headers as Record<string, string>);
  const isBytes = Buffer.isBuffer(body);
  if (body !== undefined && !isBytes && !sent.has('content-type'))
    sent.set('content-type', 'application/json');
  const response = await fetch(url, {
    method,
    headers: sent,
    redirect: options.disableFollowRedirect === true ? 'manual' : 'follow',
    ...(body === undefined || method === 'GET'
      ? {}
      : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const content = Buffer.from(await response.arrayBuffer());
  if (!response.ok && options.ignoreHttpStatusErrors !== true)
    throw Object.assign(new Error(`Request failed with status code ${response.status}`), { response });
  const received = options.encoding === 'arraybuffer' ? content : content.toString();
  if (options.returnFullResponse !== true) return received;
  return { body: received, headers: Object.fromEntries(response.headers), statusCode: response.status };
}

function binaryHelpers(input: Run['input'] = []): object {
  const dataOf = (item: number, property: string): IBinaryData => {
    const found = input[item]?.binary?.[property];
    if (found === undefined)
      throw new Error(`This operation expects the node's input data to contain a binary file '${property}'.`);
    return found;
  };
  return {
    assertBinaryData: dataOf,
    getBinaryDataBuffer: async (item: number, property: string) =>
      Buffer.from(dataOf(item, property).data, 'base64'),
    prepareBinaryData: async (content: Buffer, fileName?: string, mimeType?: string): Promise<IBinaryData> =>
      binaryData(content, {
        mimeType: mimeType ?? 'application/octet-stream',
        ...(fileName && { fileName }),
      }),
  };
}

export function binaryData(
  content: Uint8Array,
  about: Pick<IBinaryData, 'mimeType' | 'fileName'>,
): IBinaryData {
  return { ...about, data: Buffer.from(content).toString('base64') };
}

/** The value of a resource locator: `mode` says how it was given, for example `list` or `id`. */
export function locator(mode: string, value: string): INodeParameters {
  return { __rl: true, mode, value } as unknown as INodeParameters;
}
