import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { authHeader, BRAND, headerNames } from '../core.ts';
import { readCredential } from '../nodes/shared/credentials.ts';

/** The connection to a workspace: address, secret key and how the key is sent. The nodes test it (`testedBy`). */
export class QrServiceApi implements ICredentialType {
  name = 'qrServiceApi';

  displayName = `${BRAND.name} API`;

  icon: Icon = { light: 'file:../icons/qrService.svg', dark: 'file:../icons/qrService.dark.svg' };

  documentationUrl =
    'https://github.com/qr-service/qr-service-connector/tree/main/packages/n8n-nodes-qr-service#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: BRAND.baseUrl,
      description: 'Address of the service, without a path',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description:
        'Made in the app, which shows it once. A key belongs to one workspace and holds the scopes chosen there.',
    },
    {
      displayName: 'Send Key In',
      name: 'authHeader',
      type: 'options',
      options: [
        { name: 'Authorization Header', value: 'authorization' },
        { name: 'API Key Header', value: 'api-key' },
      ],
      default: 'authorization',
      description: `The service takes both: "Authorization: Bearer" or "${headerNames().apiKey}"`,
    },
    {
      displayName: 'Header Prefix',
      name: 'headerPrefix',
      type: 'string',
      default: BRAND.headerPrefix,
      description: `The word after "X-" in the service's own headers, also in those of its signed events`,
    },
  ];

  authenticate: IAuthenticate = (credentials, requestOptions) => {
    const [name, value] = authHeader(readCredential(credentials));
    return Promise.resolve({ ...requestOptions, headers: { ...requestOptions.headers, [name]: value } });
  };
}
