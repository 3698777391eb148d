import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator } from 'qr-service-emulator';

const SERVER = fileURLToPath(new URL('../../packages/mcp-server/bin/qr-service-mcp.js', import.meta.url));

/** A turn of a conversation between a person and an agent that uses tools. An image is an SVG. */
export type Turn = { who: 'person' | 'agent'; text: string } | ToolTurn;

interface ToolTurn {
  who: 'tool';
  call: ToolCall;
  text: string;
  image?: string;
}

/** What an agent asks of the server. */
interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

const MENU = 'https://example.com/menu';
const TERRACE = 'https://example.com/terrace';

/**
 * Runs a conversation with the MCP server against the emulator, through the official client. Tool calls and results
 * are real, and the image is the service's SVG of the code that the tool draws; the sentences of the person and the agent are written here. Every run returns the same.
 */
export async function runSession(): Promise<Turn[]> {
  const service = await startEmulator({
    redirectUrl: 'https://qr.example.com/r',
    idSeed: 'session',
    now: () => Date.UTC(2026, 0, 1),
  });
  const client = new Client({ name: 'session', version: '1.0.0' });
  try {
    const env = { QR_SERVICE_API_KEY: service.apiKey, QR_SERVICE_BASE_URL: service.url };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER], env }));
    const { url: baseUrl, apiKey } = service;
    const api = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
    return await converse(client, async (id) =>
      Buffer.from((await api.qr.render(id, { format: 'svg' })).body).toString(),
    );
  } finally {
    await client.close();
    await service.stop();
  }
}

async function converse(client: Client, draw: (id: string) => Promise<string>): Promise<Turn[]> {
  const rows = ['Table 1', 'Table 2', 'Table 3'].map((name) => ({ name, targetUrl: MENU }));
  const created = await callTool(client, { name: 'create_qr_codes', arguments: { rows } });
  const { results } = created.structured as { results: { qrCode: { id: string } }[] };
  const [first = '', second] = results.map(({ qrCode }) => qrCode.id);
  const drawn = await callTool(client, { name: 'render_qr_codes', arguments: { codes: [first] } });
  const moved = await callTool(client, {
    name: 'retarget_qr_code',
    arguments: { code: second, url: TERRACE },
  });
  const { previousUrl } = moved.structured as { previousUrl: string };
  return [
    { who: 'person', text: `Create QR codes for tables 1 to 3. They all open ${MENU}. Show me the first.` },
    created.turn,
    { ...drawn.turn, image: await draw(first) },
    { who: 'agent', text: 'All three codes are published and ready to print. This is the one for Table 1.' },
    { who: 'person', text: `Table 2 is on the terrace now. Its code should open ${TERRACE}.` },
    moved.turn,
    {
      who: 'agent',
      text: `Done. The printed code of Table 2 now opens ${TERRACE} instead of ${previousUrl}. You don't need to reprint it.`,
    },
  ];
}

/** @throws Error if the tool fails, or returns an image that isn't a PNG */
async function callTool(client: Client, call: ToolCall): Promise<{ turn: ToolTurn; structured: unknown }> {
  const { content, structuredContent, isError } = await client.callTool(call);
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (isError === true || content.some((part) => part.type === 'image' && part.mimeType !== 'image/png'))
    throw new Error(`${call.name} failed: ${texts.join('\n')}`);
  return { turn: { who: 'tool', call, text: texts.join('\n') }, structured: structuredContent };
}
