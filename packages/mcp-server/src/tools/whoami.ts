import { missingScopes } from '@qr-service/core/connector';
import { z } from 'zod';
import type { Tool } from './Tool.ts';

/** Reads what the API key opens. */
export const whoami: Tool = {
  name: 'whoami',
  title: 'Who Am I',
  description: [
    "Returns the workspace that this server's API key opens, the scopes of the key, and what doesn't work without the others.",
    'Use it to check the connection, or to find out why a tool is missing or was refused.',
    'It never shows the API key and changes nothing.',
  ].join(' '),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  operations: ['me'],
  input: z.object({}),
  output: z.object({
    workspaceId: z.string().nullable(),
    workspaceName: z.string().nullable(),
    scopes: z.array(z.string()).nullable(),
    missingScopes: z.array(z.string()),
  }),
  run: async ({ client, signal }) => {
    const { workspace, scopes } = await client.me({ signal });
    const missing = scopes === undefined ? [] : missingScopes(scopes).map(({ scope }) => scope);
    return {
      text: `Workspace: ${workspace?.name ?? workspace?.id ?? 'unknown'}. Scopes: ${scopes?.join(', ') ?? 'unknown'}.`,
      structured: {
        workspaceId: workspace?.id ?? null,
        workspaceName: workspace?.name ?? null,
        scopes: scopes ?? null,
        missingScopes: missing,
      },
    };
  },
};
