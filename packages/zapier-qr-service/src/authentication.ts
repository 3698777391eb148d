import type { Account } from '@qr-service/core';
import { BRAND, CONNECTION_INPUTS, missingScopes, showText } from '@qr-service/core/connector';
import type { Authentication, Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from './client/createClient.ts';
import { withZapierErrors } from './errors/zapierErrors.ts';
import { connectionOf } from './inputs/readInputs.ts';

/** Maximum length of a workspace's name in the label of a connection. */
const MAX_NAME_LENGTH = 80;

/** Tests the connection: returns what the key gives access to (`GET /me`). */
async function test(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  const { workspace = {} } = await createClient(z, bundle).me();
  return {
    workspaceId: workspace.id ?? null,
    workspaceName: connectionName(workspace, connectionOf(bundle).apiKey),
  };
}

/**
 * Distinguishes people's connections: the workspace's name or, if it has none, its ID. Never empty. Leaves out the
 * brand's name, as Zapier puts the app's name in front.
 */
function connectionName({ id, name = '' }: NonNullable<Account['workspace']>, apiKey: string): string {
  const shown = showText(name, MAX_NAME_LENGTH).trim();
  const isUsable = shown !== '' && shown !== BRAND.name && !name.includes(apiKey);
  return isUsable ? shown : showText(`Workspace ${id ?? ''}`, MAX_NAME_LENGTH).trim();
}

/** Every scope that any step needs. */
const ALL_SCOPES = missingScopes([])
  .map(({ scope }) => `\`${scope}\``)
  .join(', ');

/** Connects with an API key, and a base URL for people who host the service themselves. */
export const authentication: Authentication = {
  type: 'custom',
  fields: [
    {
      key: 'apiKey',
      label: CONNECTION_INPUTS.apiKey.label,
      type: 'password',
      required: true,
      helpText: CONNECTION_INPUTS.apiKey.help
        .replace('the app', `[the app](${BRAND.appUrl})`)
        .replace('you need', `you need (for all steps ${ALL_SCOPES})`),
    },
    {
      key: 'baseUrl',
      label: CONNECTION_INPUTS.baseUrl.label,
      type: 'string',
      required: false,
      default: BRAND.baseUrl,
      isNoSecret: true,
      helpText: CONNECTION_INPUTS.baseUrl.help,
    },
  ],
  test: withZapierErrors(test, 'connectionTest'),
  // A field of the test's result, as neither Zapier's reviewers nor `invoke auth label` run a function.
  connectionLabel: '{{workspaceName}}',
};
