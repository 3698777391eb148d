import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { createN8nEngine, type WorkflowJson } from '../../engines/n8n/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(`${ROOT}/README.md`, 'utf8');

/** The text below a heading. */
function section(heading: string): string {
  return README.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The first code block of a language below a heading. */
function block(heading: string, language: string): string {
  const found = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section(heading))?.[1];
  if (found === undefined) throw new Error(`The README has no ${language} block under ${heading}.`);
  return found;
}

async function run(code: string): Promise<string> {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript'];
  return (await promisify(execFile)(process.execPath, [...flags, '--eval', code], { cwd: ROOT })).stdout;
}

test("all install commands of the n8n package's README have the same option, and no other", () => {
  const text = readFileSync(`${ROOT}/packages/n8n-nodes-qr-service/README.md`, 'utf8');
  const commands = [...text.matchAll(/npm install --prefix (\S+) (\S+) (.*)$/gm)];
  expect(commands).toHaveLength(2);
  for (const [, folder, option, what] of commands) {
    expect(folder).toMatch(/^(~|\/home\/node)\/\.n8n\/nodes$/);
    expect(option).toBe('--legacy-peer-deps');
    // The version isn't named, as it changes with each release.
    const packed = '/tmp/$(npm pack --silent -w n8n-nodes-qr-service --pack-destination /tmp)';
    expect([packed, 'n8n-nodes-qr-service']).toContain(what);
  }
});

describe('the README', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
  });
  afterAll(() => emulator.stop());

  it('has an n8n workflow that works when pasted', async () => {
    const engine = await createN8nEngine({
      packageDir: `${ROOT}/packages/n8n-nodes-qr-service`,
      credentials: {
        qrServiceApi: {
          baseUrl: emulator.url,
          apiKey: emulator.apiKey,
          authHeader: 'authorization',
          headerPrefix: 'Service',
        },
      },
    });
    const { error, data } = await engine.runWorkflow(JSON.parse(block('n8n', 'json')) as WorkflowJson, {
      triggerItems: [{}],
    });
    expect(error).toBeUndefined();
    expect(data['Create']?.[0]?.json).toMatchObject({ name: 'Table 4', status: 'published' });
    expect(data['Download Image']?.[0]?.binary?.['data']).toMatchObject({ mimeType: 'image/png' });
  });

  it('has an example for Zapier that works', async () => {
    expect(await run(block('Zapier', 'ts'))).toMatch(/^http\S+\/r\/(table-4\S*) \1\.png\n$/);
  });

  it('has an example for the emulator that works', async () => {
    expect(await run(block('The emulator', 'ts'))).toMatch(/^http:\/\/127\.0\.0\.1:\d+ \S+\n/);
  });

  it('has an example for the core that works', async () => {
    const preamble = `
      import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
      const [baseUrl, apiKey, secret] = ${JSON.stringify([emulator.url, emulator.apiKey, 'a secret'])};
      const rawBody = JSON.stringify(sampleEvent('qr.created'));
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = { 'X-Service-Signature': signWebhook({ body: rawBody, secret, timestamp }) };`;
    const print = 'console.log(event.type, fileName, body.length > 100);';
    const lines = block('The core as a library', 'ts');
    expect(await run(`${preamble}\n${lines}\n${print}`)).toMatch(
      /Table 4\n(.*\n)*qr\.created .*\.svg true\n/,
    );
  });
});
