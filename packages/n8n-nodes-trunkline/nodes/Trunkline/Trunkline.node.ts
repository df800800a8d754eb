import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';
import { TrunklineApiError } from './api-error.ts';
import { OPERATIONS } from './operations.ts';
import { textOf } from './parameters.ts';
import { chatProperties } from './properties/chat-properties.ts';
import { contactProperties } from './properties/contact-properties.ts';
import { groupProperties } from './properties/group-properties.ts';
import { instanceProperties } from './properties/instance-properties.ts';
import { messageProperties } from './properties/message-properties.ts';
import { instanceOptions, searchGroups, searchInstances } from './search-lists.ts';

/** Runs the chosen operation once for each input item. */
export class Trunkline implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Trunkline',
    name: 'trunkline',
    icon: { light: 'file:../../icons/trunkline.svg', dark: 'file:../../icons/trunkline.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Send and read messages of linked phone numbers',
    defaults: { name: 'Trunkline' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'trunklineApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Chat', value: 'chat' },
          { name: 'Contact', value: 'contact' },
          { name: 'Group', value: 'group' },
          { name: 'Instance', value: 'instance' },
          { name: 'Message', value: 'message' },
        ],
        default: 'message',
      },
      ...messageProperties,
      ...instanceProperties,
      ...contactProperties,
      ...groupProperties,
      ...chatProperties,
    ],
  };

  methods = {
    listSearch: { searchInstances, searchGroups },
    loadOptions: { instanceOptions },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex += 1) {
      const pairedItem = { item: itemIndex };
      try {
        const name = `${textOf(this, 'resource', itemIndex)}:${textOf(this, 'operation', itemIndex)}`;
        const operation = OPERATIONS[name];
        if (operation === undefined)
          throw new NodeOperationError(this.getNode(), `There is no operation ${name}.`, { itemIndex });
        for (const item of await operation(this, itemIndex)) output.push({ ...item, pairedItem });
      } catch (error) {
        if (!this.continueOnFail()) throw shown(this, error, itemIndex);
        output.push({ json: { error: reported(error) }, pairedItem });
      }
    }
    return [output];
  }
}

/** Keeps n8n's own errors, and wraps other errors. */
function shown(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
  return error instanceof NodeApiError || error instanceof NodeOperationError
    ? error
    : new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

/** An API error in the shape of the API; any other error as its message. */
function reported(error: unknown): IDataObject | string {
  if (error instanceof TrunklineApiError) return { ...error.api };
  return error instanceof Error ? error.message : String(error);
}
