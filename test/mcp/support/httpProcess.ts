import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The built command. */
export const COMMAND = join(__dirname, '../../../packages/mcp-server/bin/qr-service-mcp.js');

/** The command in its own process, serving HTTP. */
export interface HttpProcess {
  /** Address of the MCP endpoint, as the command printed it. */
  url: string;
  /** The token that clients need. */
  token: string;
  child: ChildProcess;
  /** Everything that the command printed to stderr, and to stdout. */
  printed: { stderr: string; stdout: string };
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
}

const TOKEN = 'token-of-the-tests-0123456789';

const started: ChildProcess[] = [];

/**
 * Starts the command on a free port.
 * @param options.token undefined for a new one
 */
export async function startHttpProcess(
  env: Record<string, string>,
  {
    args = [],
    nodeArgs = [],
    port = 0,
    ...given
  }: { args?: readonly string[]; nodeArgs?: string[]; port?: number; token?: string | undefined } = {},
): Promise<HttpProcess> {
  const token = 'token' in given ? given.token : TOKEN;
  const child = spawn(process.execPath, [...nodeArgs, COMMAND, '--http', String(port), ...args], {
    env: { ...env, ...(token === undefined ? {} : { QR_SERVICE_MCP_TOKEN: token }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
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
    token: token ?? /Token: (\S+)/.exec(printed.stderr)?.[1] ?? '',
    child,
    printed,
    ended,
  };
}

/** Connects the official client, with a session. */
export async function connectClient({ url, token }: Pick<HttpProcess, 'url' | 'token'>): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** Ends every process that was started and still runs. */
export function killHttpProcesses(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL');
}
