import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';
import { openChromium } from '../../../scripts/tools/chromium.ts';
import { chain, CREATE, RENDER, TRIGGER, workflowWithRows, type Step } from '../support/n8n/workflows.ts';
import { PACKAGE_DIR, startWorld, type World } from '../support/n8n/world.ts';
import { openEditor, OUTPUT, PANEL, VIEWPORT, type Editor } from './editor/editor.ts';
import { takeExamplePictures } from './examplePictures.ts';

const IMAGES = join(PACKAGE_DIR, 'images');

/** Notifications, and the button for the previous node. */
const HIDDEN = '.el-notification, [data-test-id=floating-nodes] { display: none !important }';

/** A restaurant's tables, as rows of a sheet. */
const tables = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Table ${index + 1}`,
    targetUrl: `https://example.com/menu?table=${index + 1}`,
  }));

/** Takes the screenshots for the package's README, or those of its examples. */
export async function run(ofExamples: boolean): Promise<void> {
  const browser = await openChromium();
  const world = await startWorld((line) => console.log(line), { redirectUrl: 'https://qr.example.com' });
  try {
    mkdirSync(IMAGES, { recursive: true });
    if (ofExamples) {
      await takeExamplePictures(world, browser);
      return;
    }
    const editor = await openEditor(browser, world.server);
    const asAdded = newNodes(await descriptions(editor));
    for (const [name, picture] of Object.entries(PICTURES)) {
      await picture({ ...world, editor, asAdded });
      await editor.page.mouse.move(VIEWPORT.width / 2, 10);
      await editor.page.addStyleTag({ content: HIDDEN });
      await editor.page.waitForLoadState('networkidle');
      const panel = await editor.page.waitForSelector(PANEL);
      await panel.screenshot({ path: join(IMAGES, `${name}.png`), animations: 'disabled' });
      console.log(`✓ ${name}.png`);
    }
  } finally {
    await browser.close();
    await world.stop();
  }
}

interface Scene extends World {
  editor: Editor;
  /** A node with the version and name that it gets when a user adds it today. */
  asAdded: (node: Step) => Step;
}

const PICTURES: Record<string, (scene: Scene) => Promise<void>> = {
  async 'action-node'({ n8n, credential, client, editor, asAdded }) {
    const [table] = tables(1);
    const { id } = await client.qr.create({
      name: table!.name,
      mode: 'dynamic',
      contentType: 'url',
      content: { targetUrl: table!.targetUrl },
    });
    const node = asAdded({
      ...RENDER,
      parameters: {
        ...RENDER.parameters,
        qrCodeId: { __rl: true, mode: 'list', value: id, cachedResultName: table!.name },
        options: { additionalFormats: ['pdf'], size: 512 },
      },
    });
    const workflow = workflowWithRows('Cards', credential, [table!], node);
    await editor.openNode(await n8n.saveWorkflow(workflow), workflow.nodes[1]!.id);
    await editor.execute();
    await editor.page.click(`${OUTPUT} >> text=View`, { timeout: 20_000 });
  },

  async 'trigger-listening'({ n8n, credential, editor, asAdded }) {
    const events = ['qr.published', 'redirect.rule_changed', 'feedback.low_score_received'];
    const node = asAdded({ name: 'Trigger', type: TRIGGER, parameters: { events } });
    const workflow = chain('Events', credential, [node]);
    await editor.openNode(await n8n.saveWorkflow(workflow), workflow.nodes[0]!.id);
    await editor.execute();
    await editor.page.waitForSelector('text=Listening for test event', { timeout: 20_000 });
  },

  async 'bulk-run'({ n8n, credential, editor, asAdded }) {
    const node = asAdded({ ...CREATE, parameters: { ...CREATE.parameters, publish: true } });
    const workflow = workflowWithRows('Bulk', credential, tables(300), node);
    await editor.openNode(await n8n.saveWorkflow(workflow), workflow.nodes[1]!.id);
    await editor.execute();
    await editor.page.waitForSelector(`${OUTPUT} >> text=/^300 items/`, { timeout: 60_000 });
    await editor.rows();
  },
};

/** The node types that the editor knows, one for each range of versions. */
const descriptions = ({ page }: Editor) =>
  page.evaluate<INodeTypeDescription[]>(`fetch('/types/nodes.json').then((response) => response.json())`);

/** Gives a node the type's newest version and, like n8n, the name of the operation or the type. */
const newNodes =
  (types: readonly INodeTypeDescription[]) =>
  (node: Step): Step => {
    const versionsOf = ({ version }: INodeTypeDescription) => [version].flat();
    const type = types
      .filter(({ name }) => name === node.type)
      .sort((a, b) => Math.max(...versionsOf(a)) - Math.max(...versionsOf(b)))
      .at(-1);
    if (type === undefined) throw new Error(`n8n doesn't know ${node.type}.`);
    const typeVersion = type.defaultVersion ?? Math.max(...versionsOf(type));
    const operation = type.properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options = [] }) => options)
      .find((option) => 'value' in option && option.value === node.parameters?.['operation']);
    const action = operation !== undefined && 'action' in operation ? operation.action : undefined;
    return { ...node, typeVersion, name: action ?? type.defaults.name ?? type.displayName };
  };
