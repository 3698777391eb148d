import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { authHeader, BRAND, CONNECTION_INPUTS, readConnection } from '../deps.ts';
import { SCOPE_USES } from '../nodes/platform/access.ts';
import { inputProperty, sentences } from '../nodes/platform/properties.ts';

/** Access to a workspace. The nodes test it (`testedBy`). */
export class QrServiceApi implements ICredentialType {
  name = 'qrServiceApi';

  displayName = `${BRAND.name} API`;

  icon: Icon = { light: 'file:../icons/qrService.svg', dark: 'file:../icons/qrService.dark.svg' };

  documentationUrl =
    'https://github.com/qr-service/qr-service-connector/tree/main/packages/n8n-nodes-qr-service#credentials';

  properties: INodeProperties[] = [
    inputProperty(CONNECTION_INPUTS.apiKey, {
      typeOptions: { password: true },
      description: sentences(CONNECTION_INPUTS.apiKey.help, 'Each key belongs to one workspace.'),
      hint: apiKeyHint(),
    }),
    inputProperty(CONNECTION_INPUTS.baseUrl),
    inputProperty(CONNECTION_INPUTS.allowedTargets, {
      typeOptions: { rows: 2 },
      hint: 'Hosts that codes may point to, one per line. Leave this empty to allow all.',
    }),
  ];

  authenticate: IAuthenticate = (credentials, requestOptions) => {
    const [name, value] = authHeader(readConnection(credentials));
    return Promise.resolve({ ...requestOptions, headers: { ...requestOptions.headers, [name]: value } });
  };
}

/** Where to create a key, and what each scope is for. */
function apiKeyHint(): string {
  const uses = Object.entries(SCOPE_USES).map(([scope, use]) => `<code>${scope}</code> to ${use}`);
  return `Create a key in <a href="${BRAND.appUrl}" target="_blank">the app</a>. Scopes: ${uses.join(', ')}.`;
}
