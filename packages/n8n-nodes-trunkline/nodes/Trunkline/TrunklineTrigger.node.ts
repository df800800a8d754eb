import { NodeConnectionTypes } from 'n8n-workflow';
import type {
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { adoptEndpoint, createEndpoint, deleteEndpoint } from './endpoint.ts';
import { eventsProperty } from './properties/events-property.ts';
import { receiveEvent } from './receive-event.ts';
import { instanceOptions } from './search-lists.ts';

/** Starts a workflow with each event. The node's endpoint exists while the workflow is active. */
export class TrunklineTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Trunkline Trigger',
    name: 'trunklineTrigger',
    icon: { light: 'file:../../icons/trunkline.svg', dark: 'file:../../icons/trunkline.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when a message arrives or changes, or a number connects or goes down',
    defaults: { name: 'Trunkline Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'trunklineApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      eventsProperty,
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'Drop Duplicates',
            name: 'dropDuplicates',
            type: 'boolean',
            default: true,
            description:
              'Whether an event that arrives again is dropped. The service sends each event at least once; the process of n8n remembers the last 5,000.',
          },
          {
            displayName: 'Instance Names or IDs',
            name: 'instances',
            type: 'multiOptions',
            typeOptions: { loadOptionsMethod: 'instanceOptions' },
            default: [],
            description:
              'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
          },
        ],
      },
    ],
  };

  methods = { loadOptions: { instanceOptions } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return adoptEndpoint(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await createEndpoint(this);
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await deleteEndpoint(this);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receiveEvent(this);
  }
}
