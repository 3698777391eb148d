import { runAgent, type Tool } from './support/agent.ts';
import { startWorld, type World } from './support/world.ts';
import { codeBy } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** What the tool gave to the agent. */
async function call(
  parameters: Parameters<typeof runAgent>[1],
  input: object,
  look: (tool: Tool) => void = () => undefined,
): Promise<Record<string, unknown>[]> {
  let answer = '';
  const { error } = await runAgent(world, parameters, async (tool) => {
    look(tool);
    answer = await tool.invoke(input);
  });
  if (error !== undefined) throw error;
  return JSON.parse(answer) as Record<string, unknown>[];
}

const CREATE_BY_MODEL = {
  operation: 'create',
  name: "={{ $fromAI('name', 'Name of the code', 'string') }}",
  targetUrl: "={{ $fromAI('targetUrl', 'Where a scan leads to', 'string') }}",
};

test('shows an agent what the operation does and which fields to fill in, and runs its call', async () => {
  const [code] = await call(
    CREATE_BY_MODEL,
    { name: 'Table 9', targetUrl: 'https://example.com/9' },
    (tool) => {
      expect(tool.description).toBe('Create a QR code for a web address in QR Service');
      const described = Object.entries(tool.schema.shape).map(([key, { description }]) => [key, description]);
      expect(described).toEqual([
        ['name', 'Name of the code'],
        ['targetUrl', 'Where a scan leads to'],
      ]);
    },
  );
  expect(code).toMatchObject({ name: 'Table 9', status: 'published' });

  const url = "={{ $fromAI('url', 'New address', 'string') }}";
  const qrCodeId = codeBy('id', "={{ $fromAI('qrCodeId', 'ID of the code', 'string') }}");
  await call(
    { operation: 'retarget', qrCodeId, url },
    { qrCodeId: code!['id'], url: 'https://example.com/new' },
  );
  const response = await fetch(code!['publicUrl'] as string, { redirect: 'manual' });
  expect(response.headers.get('location')).toBe('https://example.com/new');
});

test('creates a separate code for each tool call, even with the same input', async () => {
  const ids: unknown[] = [];
  await runAgent(world, CREATE_BY_MODEL, async (tool) => {
    for (let i = 0; i < 2; i++) {
      const answer = await tool.invoke({ name: 'Twin', targetUrl: 'https://example.com/' });
      ids.push((JSON.parse(answer) as { id: string }[])[0]!.id);
    }
  });
  expect(new Set(ids).size).toBe(2);
});

test('tells the agent why a call failed and how to fix it', async () => {
  const missing = call(CREATE_BY_MODEL, { name: 'Table 9', targetUrl: 'nowhere' });
  await expect(missing).rejects.toMatchObject({
    message: expect.stringMatching(
      /^Target URL isn't a valid web address: 'nowhere'[\s\S]*Start it with https:\/\/$/,
    ),
  });
});
