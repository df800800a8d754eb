import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** Shows a field for a resource, or for some of its operations. */
export function shownFor(resource: string, ...operations: readonly string[]): IDisplayOptions {
  return {
    show: { resource: [resource], ...(operations.length === 0 ? {} : { operation: [...operations] }) },
  };
}

export function instanceField(displayOptions: IDisplayOptions, description: string): INodeProperties {
  return {
    displayName: 'Instance',
    name: 'instance',
    type: 'resourceLocator',
    required: true,
    default: { mode: 'list', value: '' },
    description,
    displayOptions,
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        typeOptions: { searchListMethod: 'searchInstances', searchable: true },
      },
      { displayName: 'ID', name: 'id', type: 'string', placeholder: 'e.g. ins_01kaj2p9v6e8gr5d0mz7q4xw1c' },
    ],
  };
}

export function returnAllFields({ show }: IDisplayOptions): INodeProperties[] {
  return [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      description: 'Whether to return all results or only up to a given limit',
      displayOptions: { show: { ...show } },
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      description: 'Max number of results to return',
      displayOptions: { show: { ...show, returnAll: [false] } },
    },
  ];
}
