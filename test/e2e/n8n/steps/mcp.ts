import assert from 'node:assert/strict';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { INode, INodeParameters } from 'n8n-workflow';
import { npm } from '../../../../scripts/process/npm.ts';
import { decodeQr } from '../../../support/decodeQr.ts';
import { startMcpServer, type McpServerProcess } from '../../../support/mcp/mcpServer.ts';
import { chain, MANUAL_TRIGGER, type Step } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { LANGCHAIN, scriptedAgent } from '../scriptedAgent.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** n8n puts the name of the node before the names of its tools. */
const call = (tool: string, input: Record<string, unknown>) => ({ tool: `QR_Service_${tool}`, input });

/** What the model receives from a tool: the content of the result, and its structured content. */
interface Result {
  response: { type: string; data?: string }[];
  structuredContent: { results?: { qrCode?: { id: string; publicUrl: string } }[] };
}

/** Starts the built server. */
async function start(service: World['emulator']): Promise<McpServerProcess> {
  await npm(ROOT, 'run', 'build', '--', '-w', 'packages/mcp-server');
  return startMcpServer(service);
}

/** n8n's nodes for MCP, connected to the MCP server over streamable HTTP. */
export function mcpSteps(world: World): void {
  const { n8n, emulator } = world;
  let starting: Promise<McpServerProcess> | undefined;
  after(async () => (await starting)?.stop());

  /** The settings that connect a node to the server. */
  async function connected(
    parameters: INodeParameters = {},
  ): Promise<Pick<INode, 'parameters' | 'credentials'>> {
    const { url, token } = await (starting ??= start(emulator));
    const httpBearerAuth = await n8n.saveCredential('httpBearerAuth', { token });
    const connection = { endpointUrl: url, serverTransport: 'httpStreamable', authentication: 'bearerAuth' };
    return { parameters: { ...connection, ...parameters }, credentials: { httpBearerAuth } };
  }

  const clientTool = async () => ({
    name: 'QR Service',
    type: `${LANGCHAIN}.mcpClientTool`,
    typeVersion: 1.4,
    ...(await connected()),
  });

  /** A node that calls a tool without an agent. */
  const clientNode = async (tool: string, jsonInput: string): Promise<Step> => ({
    name: tool,
    type: `${LANGCHAIN}.mcpClient`,
    typeVersion: 1.1,
    ...(await connected({ tool: { __rl: true, mode: 'id', value: tool }, inputMode: 'json', jsonInput })),
  });

  const run = scriptedAgent(world, 'MCP agent', async () => [await clientTool()]);
  const read = (result: string | undefined) => (JSON.parse(result!) as [Result])[0];

  step("the MCP Client Tool's dropdown lists the server's tools", async () => {
    const options = await n8n.loadOptions(await clientTool(), 'getTools');
    const tools = new Map(options.map(({ value, description }) => [value, description]));
    for (const tool of ['create_qr_codes', 'render_qr_codes']) assert.match(tools.get(tool)!, /\w/);
  });

  step('an agent receives an image as text, the MCP Client node as a file', async () => {
    const rows = [{ name: 'MCP Image', targetUrl: 'https://example.com/image' }];
    let publicUrl = '';
    await run(function* () {
      const created = read((yield [call('create_qr_codes', { rows })])[0]).structuredContent;
      const code = created.results![0]!.qrCode!;
      publicUrl = code.publicUrl;
      const { response } = read((yield [call('render_qr_codes', { codes: [code.id] })])[0]);
      const image = response.find(({ type }) => type === 'image');
      assert.equal(decodeQr(Buffer.from(image!.data!, 'base64')), publicUrl);
      return 'Drawn.';
    });

    const workflow = chain('MCP nodes', world.credential, [
      { name: 'Start', type: MANUAL_TRIGGER },
      await clientNode('render_qr_codes', JSON.stringify({ codes: [publicUrl] })),
    ]);
    const execution = await n8n.runOnce(workflow, 'Start');
    assert.equal(execution.status, 'success', execution.error);
    const { binary } = execution.items['render_qr_codes']![0]!;
    const file = binary!['data_0']!;
    assert.equal(file.mimeType, 'image/png');
    assert.equal(decodeQr(await n8n.file(file.id!)), publicUrl);
  });
}
