import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium, type Page } from '../../../harness/suite/chromium.ts';
import { OWNER } from '../../../harness/n8n/n8nRest.ts';
import { ACTION, chain, CREATE, workflowWithRows, TRIGGER } from '../../../harness/n8n/workflows.ts';
import { PACKAGE_DIR, startWorld, type World } from '../../../harness/n8n/world.ts';

const IMAGES = join(PACKAGE_DIR, 'images');
const VIEWPORT = { width: 1450, height: 850 };

const PANEL = '[data-test-id="ndv"]';
const OUTPUT = '[data-test-id="output-panel"]';
/** Notifications, and the button for the previous node. */
const HIDDEN = '.el-notification, [data-test-id=floating-nodes] { display: none !important }';
const EXECUTE = '[data-test-id="node-execute-button"]';

/** A restaurant's tables, as rows of a sheet. */
const tables = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Table ${index + 1}`,
    targetUrl: `https://example.com/menu?table=${index + 1}`,
  }));

/** Takes the screenshots for the package's README. */
export async function run(): Promise<void> {
  const browser = await openChromium();
  const world = await startWorld((line) => console.log(line), { redirectUrl: 'https://qr.example.com' });
  try {
    mkdirSync(IMAGES, { recursive: true });
    const page = await browser.newPage({ viewport: VIEWPORT });
    await signIn(page, world.server.url);
    for (const [name, picture] of Object.entries(PICTURES)) {
      await picture(page, world);
      await page.mouse.move(VIEWPORT.width / 2, 10);
      await page.addStyleTag({ content: HIDDEN });
      await page.waitForTimeout(1000);
      const panel = await page.waitForSelector(PANEL);
      await panel.screenshot({ path: join(IMAGES, `${name}.png`) });
      console.log(`✓ ${name}.png`);
    }
  } finally {
    await browser.close();
    await world.stop();
  }
}

const PICTURES: Record<string, (page: Page, world: World) => Promise<void>> = {
  async 'action-node'(page, { n8n, credential, server, client }) {
    const [table] = tables(1);
    const { id } = await client.qr.create({
      name: table!.name,
      mode: 'dynamic',
      contentType: 'url',
      content: { targetUrl: table!.targetUrl },
    });
    const workflow = workflowWithRows('Cards', credential, [table!], {
      name: 'Download image of QR code',
      type: ACTION,
      typeVersion: 1.1,
      parameters: {
        resource: 'qrCode',
        operation: 'render',
        qrCodeId: { __rl: true, mode: 'list', value: id, cachedResultName: table!.name },
        format: 'png',
        binaryPropertyName: 'data',
        options: { additionalFormats: ['pdf'], size: 512 },
      },
    });
    await openNode(page, server.url, await n8n.saveWorkflow(workflow), workflow.nodes[1]!.id);
    await page.click(EXECUTE);
    await page.click(`${OUTPUT} >> text=View`, { timeout: 20_000 });
  },

  async 'trigger-listening'(page, { n8n, credential, server }) {
    const workflow = chain('Events', credential, [
      {
        name: 'QR Service Trigger',
        type: TRIGGER,
        parameters: { events: ['qr.published', 'redirect.rule_changed', 'feedback.low_score_received'] },
      },
    ]);
    await openNode(page, server.url, await n8n.saveWorkflow(workflow), workflow.nodes[0]!.id);
    await page.click(EXECUTE);
    await page.waitForSelector('text=Listening for test event', { timeout: 20_000 });
  },

  async 'bulk-run'(page, { n8n, credential, server }) {
    const workflow = workflowWithRows('Bulk', credential, tables(300), {
      ...CREATE,
      name: 'Create QR code',
      typeVersion: 1.1,
      parameters: { ...CREATE.parameters, publish: true },
    });
    await openNode(page, server.url, await n8n.saveWorkflow(workflow), workflow.nodes[1]!.id);
    await page.click(EXECUTE);
    await page.waitForSelector(`${OUTPUT} >> text=/^300 items/`, { timeout: 60_000 });
    await page.click(`${OUTPUT} >> [data-test-id="radio-button-table"]`);
  },
};

/** Signs in as the owner. */
export async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/signin`);
  await page.fill('input[type=email]', OWNER.email);
  await page.fill('input[type=password]', OWNER.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/home|workflow/);
}

async function openNode(page: Page, url: string, workflowId: string, nodeId: string): Promise<void> {
  await page.goto(`${url}/workflow/${workflowId}/${nodeId}`);
  await page.waitForSelector(PANEL, { timeout: 20_000 });
  await page.waitForTimeout(1500);
}
