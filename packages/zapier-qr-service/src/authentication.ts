import { BRAND } from '@qr-service/core/connector';
import { isApiError } from '@qr-service/core';
import type { Authentication, Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from './client/createClient.ts';
import { errorText, plainError } from './errors/zapierErrors.ts';
import { ownInput } from './inputs/readInputs.ts';
import { guarded } from './errors/withZapierErrors.ts';

/** Tells what the key opens (`GET /me`). */
async function test(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  try {
    const { workspace, scopes } = await createClient(z, bundle).me();
    return {
      workspaceId: workspace?.id ?? null,
      workspaceName: workspace?.name ?? null,
      scopes: scopes ?? null,
    };
  } catch (error) {
    // Nothing is connected yet, so there is nothing to reconnect.
    if (isApiError(error) && error.status === 401)
      throw plainError(z, errorText(error), error.code, error.status);
    throw error;
  }
}

/** The workspace's name, for the list of connections; Zapier passes the test's answer as input. */
function connectionLabel(_z: ZObject, bundle: Bundle): Promise<string> {
  return Promise.resolve(ownInput(bundle, 'workspaceName') ?? ownInput(bundle, 'workspaceId') ?? BRAND.name);
}

/** An API key, and the service's address for those who run their own. */
export const authentication: Authentication = {
  type: 'custom',
  fields: [
    {
      key: 'apiKey',
      label: 'API Key',
      type: 'password',
      required: true,
      helpText: `Make a key in [the app](${BRAND.appUrl}), with the scopes of the steps that you want to use. It is shown once.`,
    },
    {
      key: 'baseUrl',
      label: 'Base URL',
      type: 'string',
      required: false,
      default: BRAND.baseUrl,
      isNoSecret: true,
      helpText: 'Leave this as it is, unless you use the service at an address of your own.',
    },
  ],
  test: guarded(test),
  connectionLabel,
};
