import { BRAND, CONNECTION_INPUTS, describeConnectionError } from '@qr-service/core/connector';
import { isApiError } from '@qr-service/core';
import type { Authentication, Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from './client/createClient.ts';
import { CONNECTION_TEST_WORDS } from './errors/errorWords.ts';
import { asText, plainError } from './errors/zapierErrors.ts';
import { ownInput } from './inputs/readInputs.ts';
import { withZapierErrors } from './errors/withZapierErrors.ts';

/** Returns what the key opens (`GET /me`). */
async function test(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  try {
    const { workspace, scopes } = await createClient(z, bundle).me();
    return {
      workspaceId: workspace?.id ?? null,
      workspaceName: workspace?.name ?? null,
      scopes: scopes ?? null,
    };
  } catch (error) {
    // Nothing is connected yet, so there is nothing to reconnect and no record to look for.
    if (isApiError(error) && (error.status === 401 || error.status === 404))
      throw plainError(
        z,
        asText(describeConnectionError(error, CONNECTION_TEST_WORDS), error),
        error.code,
        error.status,
      );
    throw error;
  }
}

/** The workspace's name, for the list of connections; Zapier passes the test's result as input. */
function connectionLabel(_z: ZObject, bundle: Bundle): Promise<string> {
  return Promise.resolve(ownInput(bundle, 'workspaceName') ?? ownInput(bundle, 'workspaceId') ?? BRAND.name);
}

/** An API key, and a base URL for those who host the service themselves. */
export const authentication: Authentication = {
  type: 'custom',
  fields: [
    {
      key: 'apiKey',
      label: CONNECTION_INPUTS.apiKey.label,
      type: 'password',
      required: true,
      helpText: CONNECTION_INPUTS.apiKey.help.replace('the app', `[the app](${BRAND.appUrl})`),
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
  test: withZapierErrors(test, CONNECTION_TEST_WORDS),
  connectionLabel,
};
