import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { exampleFile, exampleNames, withCredential } from '../support/n8n/workflows.ts';
import { PACKAGE_DIR, type World } from '../support/n8n/world.ts';
import type { Browser, Rectangle } from '../../../scripts/tools/chromium.ts';
import { openEditor } from './editor/editor.ts';

const IMAGES = join(PACKAGE_DIR, 'examples/images');

/** Wide enough for the text of notes to be readable, and high enough for lines below the nodes. */
const VIEWPORT = { width: 1640, height: 1300 };

/** Shows only nodes, notes and lines, without the marks of nodes that have no credential yet. */
const ONLY_CANVAS = `
  .vue-flow__background { display: none }
  body, .vue-flow { background: white !important }
  body *, [data-test-id*='handle-plus'], [data-test-id*='handle-plus'] *, [data-test-id='node-issues'] { visibility: hidden !important }
  .vue-flow__viewport *:not([data-test-id*='handle-plus'], [data-test-id*='handle-plus'] *, [data-test-id='node-issues'], [data-test-id='node-issues'] *) { visibility: visible !important }
`;

/** The rectangle around everything that is visible. */
const DRAWN = `(() => {
  const boxes = [...document.querySelectorAll('.vue-flow__node, .vue-flow__node *, path.vue-flow__edge-path')]
    .filter((part) => part.closest('[data-test-id*=toolbar], [class*=toolbar i]') === null)
    .filter((part) => getComputedStyle(part).visibility === 'visible')
    .map((part) => part.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 && height > 0);
  const margin = 16;
  const x = Math.min(...boxes.map(({ left }) => left)) - margin;
  const y = Math.min(...boxes.map(({ top }) => top)) - margin;
  const width = Math.max(...boxes.map(({ right }) => right)) + margin - x;
  const height = Math.max(...boxes.map(({ bottom }) => bottom)) + margin - y;
  return { x, y, width, height };
})()`;

/** Takes a picture of each example workflow as it looks in the editor after its import. */
export async function takeExamplePictures(
  { n8n, server, credential }: World,
  browser: Browser,
): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  const { page } = await openEditor(browser, server, VIEWPORT);
  for (const name of exampleNames()) {
    const id = await n8n.saveWorkflow(withCredential(exampleFile(name), credential));
    await page.goto(`${server.url}/workflow/${id}`);
    await page.waitForSelector('[data-test-id="canvas-node"]');
    await page.waitForLoadState('networkidle');
    await page.addStyleTag({ content: ONLY_CANVAS });
    const clip = await page.evaluate<Rectangle>(DRAWN);
    await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: 'disabled', clip });
    console.log(`✓ ${name}.png`);
  }
}
