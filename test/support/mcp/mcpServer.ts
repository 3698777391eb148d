import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from '../../../scripts/process/npm.ts';
import { freePort } from '../process/freePort.ts';
import { managedProcess } from '../process/managedProcess.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PACKAGE = join(ROOT, 'packages/mcp-server');
const TOKEN = 'token-of-the-mcp-server';

/** The built MCP server in its own process, over streamable HTTP. */
export interface McpServerProcess {
  /** URL of its endpoint. */
  url: string;
  /** What clients send as `Authorization: Bearer`. */
  token: string;
  stop(): Promise<void>;
}

/** Starts the MCP server on a free port, for a service. */
export async function startMcpServer(service: { url: string; apiKey: string }): Promise<McpServerProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = managedProcess({
    name: 'The MCP server',
    command: process.execPath,
    args: [join(PACKAGE, 'bin/qr-service-mcp.js'), '--http', String(port)],
    env: {
      QR_SERVICE_API_KEY: service.apiKey,
      QR_SERVICE_BASE_URL: service.url,
      QR_SERVICE_MCP_TOKEN: TOKEN,
    },
    isReady: () => isListening(url),
  });
  await npm(ROOT, 'run', 'build', '--', '-w', PACKAGE);
  await server.start();
  return { url, token: TOKEN, stop: () => server.stop() };
}

/** Whether it responds: it refuses a request without a token. */
async function isListening(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 401;
  } catch {
    return false;
  }
}
