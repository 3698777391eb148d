import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { openChromium, type Browser, type Page } from '../../../scripts/tools/chromium.ts';
import { until } from '../support/n8n/executions.ts';
import { OWNER } from '../support/n8n/n8nRest.ts';
import type { N8nServer } from '../support/n8n/n8nServer.ts';

/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 100_000;

/** Size of the browser window. */
const VIEWPORT = { width: 1450, height: 850 };

/** Selectors of a node's panel. */
export const PANEL = '[data-test-id="ndv"]';
/** The panel's button that runs the node. */
export const EXECUTE = '[data-test-id="node-execute-button"]';
/** A notification. */
export const NOTIFICATION = '.el-notification';

/** n8n's editor in a browser, signed in. */
type Editor = Awaited<ReturnType<typeof openEditor>>;
/** A resource locator's list in the editor. */
export type Picker = ReturnType<typeof pickerOf>;

/** One editor for all steps, in its own browser. `open` returns it, and opens it for the first step that needs it. */
export function sharedEditor(server: Pick<N8nServer, 'url'>) {
  let browser: Promise<Browser> | undefined;
  let editor: Promise<Editor> | undefined;
  return {
    open() {
      browser ??= openChromium();
      editor ??= browser.then((opened) => openEditor(opened, server));
      return editor;
    },
    close: async () => (await browser)?.close(),
  };
}
export type SharedEditor = ReturnType<typeof sharedEditor>;

/** Opens the editor of a server that has its first user, and signs in. */
async function openEditor(browser: Browser, { url }: Pick<N8nServer, 'url'>) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(TIMEOUT_MS);
  const { email: emailOrLdapLoginId, password } = OWNER;
  const data = { emailOrLdapLoginId, password };
  await page.request.post(`${url}/rest/login`, { data, failOnStatusCode: true });
  return {
    page,
    /** Goes to a path. Loads the editor only once, as that takes as much CPU time as starting n8n. */
    async goTo(path: string) {
      const push = `history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`;
      await (page.url().startsWith(url) ? page.evaluate(push) : page.goto(url + path));
    },
    /** Opens the panel of a node. */
    async openNode(workflowId: string, nodeId: string) {
      await page.goto(`${url}/workflow/${workflowId}/${nodeId}`);
      await page.locator(`${PANEL} >> ${EXECUTE}`).first().waitFor();
    },
    /** A parameter with a list to choose from. */
    picker: (parameter: string) => pickerOf(page, parameter),
  };
}

/** The list of a parameter in the open panel. */
function pickerOf(page: Page, parameter: string) {
  const field = page.locator(`[data-test-id="resource-locator-${parameter}"]`);
  const input = field.locator('[data-test-id="rlc-input-container"] input');
  const searchField = page.locator('[data-test-id="rlc-search"]');
  const entries = page.locator('[data-test-id="rlc-item"]');
  return {
    async open() {
      await input.click();
      await searchField.waitFor();
    },
    /** Replaces the text in the list's search field, key by key. */
    async search(text: string) {
      await searchField.click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    /** Texts of the loaded entries. */
    entries: () => entries.allInnerTexts(),
    clickLast: () => entries.last().click(),
    /** Presses the keys that choose the last entry. */
    async enterLast() {
      await searchField.click();
      for (let left = await entries.count(); left > 0; left--) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
    /** The text in the parameter's field. */
    chosen: () => input.inputValue(),
  };
}

/** Waits until the page shows this. @throws AssertionError with the page's content when that takes too long */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  let shown: T | undefined;
  const isShown = async () => isDeepStrictEqual((shown = await read()), expected);
  await until('the page shows it', isShown).catch(() => assert.deepEqual(shown, expected));
}
