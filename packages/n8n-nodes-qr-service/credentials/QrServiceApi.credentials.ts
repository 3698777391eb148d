import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { authHeader, BRAND, CONNECTION_INPUTS, headerNames, readConnection } from '../core.ts';
import { sentences } from '../nodes/shared/inputProperty.ts';

/** The connection to a workspace: base URL, API key and how the key is sent. The nodes test it (`testedBy`). */
export class QrServiceApi implements ICredentialType {
  name = 'qrServiceApi';

  displayName = `${BRAND.name} API`;

  icon: Icon = { light: 'file:../icons/qrService.svg', dark: 'file:../icons/qrService.dark.svg' };

  documentationUrl =
    'https://github.com/qr-service/qr-service-connector/tree/main/packages/n8n-nodes-qr-service#credentials';

  properties: INodeProperties[] = [
    {
      displayName: CONNECTION_INPUTS.baseUrl.label,
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: BRAND.baseUrl,
      description: sentences(CONNECTION_INPUTS.baseUrl.help),
    },
    {
      displayName: CONNECTION_INPUTS.apiKey.label,
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description: sentences(CONNECTION_INPUTS.apiKey.help, 'A key belongs to one workspace.'),
    },
    {
      displayName: CONNECTION_INPUTS.authHeader.label,
      name: 'authHeader',
      type: 'options',
      options: [
        { name: 'Authorization Header', value: 'authorization' },
        { name: 'API Key Header', value: 'api-key' },
      ],
      default: 'authorization',
      description: sentences(
        CONNECTION_INPUTS.authHeader.help,
        `The service accepts "Authorization: Bearer" and "${headerNames().apiKey}".`,
      ),
    },
    {
      displayName: CONNECTION_INPUTS.headerPrefix.label,
      name: 'headerPrefix',
      type: 'string',
      default: BRAND.headerPrefix,
      description: sentences(CONNECTION_INPUTS.headerPrefix.help),
    },
  ];

  authenticate: IAuthenticate = (credentials, requestOptions) => {
    const [name, value] = authHeader(readConnection(credentials));
    return Promise.resolve({ ...requestOptions, headers: { ...requestOptions.headers, [name]: value } });
  };
}
