import { omitUndefined, OPERATION_SCOPES, showText } from '@qr-service/core/connector';
import * as z from 'zod';
import { defineTool, lines, READS, type Tool } from './Tool.ts';

/** Tells which workspace the API key opens, and which of these tools work. */
export function whoamiTool(tools: readonly Tool[]): Tool {
  return defineTool({
    name: 'whoami',
    title: 'Who Am I',
    description: [
      "Returns the workspace that this server's API key opens, the scopes of the key, and which tools don't work and why.",
      'Use it to check the connection, or when a tool is missing or was refused.',
      'It changes nothing and never shows the API key.',
    ].join(' '),
    annotations: READS,
    operations: ['me'],
    input: {},
    output: z.object({
      workspaceId: z.string().optional(),
      workspaceName: z.string().optional(),
      scopes: z.array(z.string()).optional().describe("Missing if the service doesn't report them."),
      missingScopes: z.array(z.string()).describe('Scopes that tools of this server need and the key lacks.'),
      unavailableTools: z.array(z.object({ tool: z.string(), reason: z.string() })),
      readOnly: z.boolean().describe('Whether the server was started with --read-only.'),
      limitsDestinations: z.boolean().describe('Whether codes may only point to allowed destinations.'),
    }),
    run: async ({ client, signal, readOnly }) => {
      const { workspace, scopes } = await client.me({ signal });
      const unavailableTools = tools.flatMap((tool) => {
        const reason = whyUnavailable(tool, scopes, readOnly);
        return reason === undefined ? [] : [{ tool: tool.name, reason }];
      });
      const needed = new Set(scopes === undefined ? [] : tools.flatMap(scopesOf));
      const named = [workspace?.name, workspace?.id].filter((text) => text !== undefined);
      return {
        text: lines(
          named.length === 0
            ? 'The API key is valid.'
            : `Workspace: ${named.map((text) => showText(text)).join(' · ID ')}.`,
          scopes === undefined
            ? 'Scopes: not reported by the service.'
            : `Scopes: ${scopes.map((scope) => showText(scope)).join(', ') || 'none'}.`,
          client.qr.hasAllowedTargets ? 'Destinations: only those that --allow-targets allows.' : '',
          ...unavailableTools.map(({ tool, reason }) => `Unavailable: ${tool}. ${reason}`),
        ),
        structured: {
          ...omitUndefined({ workspaceId: workspace?.id, workspaceName: workspace?.name, scopes }),
          missingScopes: [...needed].filter((scope) => scopes?.includes(scope) === false),
          unavailableTools,
          readOnly,
          limitsDestinations: client.qr.hasAllowedTargets,
        },
      };
    },
  });
}

function scopesOf({ operations }: Tool): string[] {
  return operations.flatMap((operation) => OPERATION_SCOPES[operation] ?? []);
}

/** Why a tool can't be used with these scopes; undefined if it can. If the service doesn't say which scopes there are, all can. */
export function whyUnavailable(tool: Tool, scopes: readonly string[] | undefined, readOnly: boolean) {
  if (readOnly && !tool.annotations.readOnlyHint) return 'The server was started with --read-only.';
  const missing = scopes === undefined ? [] : scopesOf(tool).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return undefined;
  return `The API key lacks the scope ${[...new Set(missing)].join(', ')}.`;
}
