import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { authHeader, BRAND, CONNECTION_INPUTS, headerNames, readConnection } from '../core.ts';
import { SCOPE_USES } from '../nodes/shared/access.ts';
import { sentences } from '../nodes/shared/inputProperty.ts';

const advancedProperty: INodeProperties = {
  displayName: 'Show Advanced Settings',
  name: 'advanced',
  type: 'boolean',
  noDataExpression: true,
  default: false,
  description: "Whether to show the settings for how the API key is sent. Most users don't need them.",
};

/**
 * An advanced setting, shown if the toggle is on or the value isn't the default. It needs both: n8n
 * drops the values of fields that it doesn't show, and a credential may be older than the toggle.
 */
function advanced(property: INodeProperties): INodeProperties[] {
  const isChanged = { [property.name]: [{ _cnd: { not: property.default as string } }] };
  return [
    { ...property, displayOptions: { show: { advanced: [true] } } },
    { ...property, displayOptions: { show: { advanced: [{ _cnd: { not: true } }], ...isChanged } } },
  ];
}

/** Access to a workspace: the API key, the base URL and how the key is sent. The nodes test it (`testedBy`). */
export class QrServiceApi implements ICredentialType {
  name = 'qrServiceApi';

  displayName = `${BRAND.name} API`;

  icon: Icon = { light: 'file:../icons/qrService.svg', dark: 'file:../icons/qrService.dark.svg' };

  documentationUrl =
    'https://github.com/qr-service/qr-service-connector/tree/main/packages/n8n-nodes-qr-service#credentials';

  properties: INodeProperties[] = [
    {
      displayName: CONNECTION_INPUTS.apiKey.label,
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description: sentences(CONNECTION_INPUTS.apiKey.help, 'Each key belongs to one workspace.'),
      hint: apiKeyHint(),
    },
    {
      displayName: CONNECTION_INPUTS.baseUrl.label,
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: BRAND.baseUrl,
      description: sentences(CONNECTION_INPUTS.baseUrl.help),
    },
    {
      displayName: CONNECTION_INPUTS.allowedTargets.label,
      name: 'allowedTargets',
      type: 'string',
      typeOptions: { rows: 3 },
      default: '',
      description: sentences(CONNECTION_INPUTS.allowedTargets.help),
    },
    advancedProperty,
    ...advanced({
      displayName: CONNECTION_INPUTS.authHeader.label,
      name: 'authHeader',
      type: 'options',
      options: [
        { name: 'API Key Header', value: 'api-key' },
        { name: 'Authorization Header', value: 'authorization' },
      ],
      default: 'authorization',
      description: sentences(
        CONNECTION_INPUTS.authHeader.help,
        `The service accepts "Authorization: Bearer" and "${headerNames().apiKey}".`,
      ),
    }),
    ...advanced({
      displayName: CONNECTION_INPUTS.headerPrefix.label,
      name: 'headerPrefix',
      type: 'string',
      default: BRAND.headerPrefix,
      description: sentences(CONNECTION_INPUTS.headerPrefix.help),
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
