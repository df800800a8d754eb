import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

/** The address of the API, and an API key for it. */
export class TrunklineApi implements ICredentialType {
  name = 'trunklineApi';

  displayName = 'Trunkline API';

  icon: Icon = { light: 'file:../icons/trunkline.svg', dark: 'file:../icons/trunkline.dark.svg' };

  documentationUrl = 'https://github.com/trunkline/trunkline/blob/main/docs/integrations/n8n.md#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'https://trunkline.example.com/api/v1',
      description: 'Address of the API, with the version at its end',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      placeholder: 'trk_…',
      description: 'Key with the scopes of what the nodes do',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      method: 'GET',
      url: '={{$credentials.baseUrl.replace(/[/]+$/, "")}}/api-key',
    },
    rules: [
      {
        type: 'responseSuccessBody',
        properties: {
          key: 'data',
          value: undefined,
          message:
            'This is not a Trunkline API: the base URL ends with /api/v1, unless the API is mounted elsewhere.',
        },
      },
    ],
  };
}
