import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atExit } from '../../../scripts/process/atExit.ts';

/** The built command. */
export const COMMAND = fileURLToPath(
  new URL('../../../packages/mcp-server/bin/qr-service-mcp.js', import.meta.url),
);

const TOKEN = 'token-of-the-tests-0123456789';

/** The built MCP server in its own process, over streamable HTTP. It ends when this process exits. */
export interface McpServerProcess {
  /** URL of its endpoint, as the command printed it. */
  url: string;
  /** What clients send as `Authorization: Bearer`. */
  token: string;
  child: ChildProcess;
  /** Everything that the command printed. */
  printed: { stderr: string; stdout: string };
  /** Ends it, and resolves with its exit code, or the signal that ended it. */
  stop: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
}

/**
 * Starts the MCP server on a free port, for a service.
 * @param options.token `new` if the command should make one
 */
export async function startMcpServer(
  { url, apiKey }: { url: string; apiKey: string },
  { token = TOKEN }: { token?: string } = {},
): Promise<McpServerProcess> {
  const child = spawn(process.execPath, [COMMAND, '--http', '0'], {
    env: {
      QR_SERVICE_API_KEY: apiKey,
      QR_SERVICE_BASE_URL: url,
      ...(token === 'new' ? {} : { QR_SERVICE_MCP_TOKEN: token }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const unregister = atExit(() => child.kill('SIGKILL'));
  const printed = { stderr: '', stdout: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      printed.stderr += chunk.toString();
      if (printed.stderr.includes('claude mcp add')) resolve();
    });
    void ended.then(() => reject(new Error(`It ended without serving:\n${printed.stderr}`)));
  });
  return {
    url: /listening at (\S+)/.exec(printed.stderr)?.[1] ?? '',
    token: /Token: (\S+) \(/.exec(printed.stderr)?.[1] ?? token,
    child,
    printed,
    stop: (signal = 'SIGTERM') => {
      unregister();
      child.kill(signal);
      return ended;
    },
  };
}
