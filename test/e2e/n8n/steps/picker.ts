import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import type { Page } from '../../../../scripts/tools/chromium.ts';
import { step } from '../../support/suite/step.ts';
import { ACTION, chain, MANUAL_TRIGGER } from '../../support/n8n/workflows.ts';
import { CREDENTIAL_TYPE, credentialFor, type World } from '../../support/n8n/world.ts';
import { PANEL, type SharedEditor } from '../editor.ts';

const SEARCH = '[data-test-id="node-creator-search-bar"]';
const ITEM = '[data-test-id="node-creator-item-name"]';
const DESCRIPTION = '[data-test-id="node-creator-item-description"]';
const LABELS = `${PANEL} label`;
const SAVE = 'button:has-text("Save")';

/** Checks the node picker, and the forms of nodes and credentials in a real browser. */
export function pickerSteps({ n8n, server, emulator, credential }: World, editor: SharedEditor): void {
  /** Runs `look` in the editor, on a path of it. */
  async function inEditor(path: string, look: (page: Page) => Promise<void>): Promise<void> {
    const { page } = await editor.open();
    await page.goto(server.url + path);
    await look(page);
  }

  /** A workflow with a trigger, so that the picker offers actions, and with one node of each. */
  const save = (name: string, nodes: INodeParameters[] = []) => {
    const steps = nodes.map((parameters, index) => ({ type: ACTION, parameters, name: `Node ${index}` }));
    const workflow = chain(name, credential, [{ name: 'Start', type: MANUAL_TRIGGER }, ...steps]);
    return n8n.saveWorkflow(workflow).then((id) => ({ id, nodes: workflow.nodes }));
  };

  async function openPicker(page: Page): Promise<void> {
    await page.click('[data-test-id="node-creator-plus-button"]', { timeout: 20_000 });
    await page.waitForSelector(SEARCH);
  }

  step('the node picker finds the package by the words that people search for', async () => {
    const { id } = await save('Search');
    await inEditor(`/workflow/${id}`, async (page) => {
      await openPicker(page);
      for (const words of ['qr', 'link shortener', 'url shortener', 'dynamic link', 'retarget', 'render']) {
        await page.fill(SEARCH, words);
        await page.waitForSelector(`${ITEM} >> text="QR Service"`, { timeout: 10_000 });
      }
      const descriptions = await visibleTexts(page, DESCRIPTION);
      assert.ok(
        descriptions.some((text) => /^Starts the workflow when QR codes are created/.test(text)),
        descriptions.join('\n'),
      );
    });
  });

  step('the node picker lists actions without articles, and every event', async () => {
    const { id } = await save('Actions');
    await inEditor(`/workflow/${id}`, async (page) => {
      await openPicker(page);
      await page.fill(SEARCH, 'link shortener');
      await page.click(`${ITEM} >> text="QR Service"`);
      await page.waitForSelector(`${ITEM} >> text="Create QR code"`);
      const actions = await visibleTexts(page, ITEM);
      for (const action of ['Download QR code image', 'Update QR code destination', 'Get account'])
        assert.ok(actions.includes(action), actions.join('\n'));
      assert.deepEqual(
        actions.filter((action) => / (?:a|an|the) /i.test(action)),
        [],
      );
      await page.click('[data-test-id="node-creator-category-item"] >> text=/^Triggers/');
      await page.waitForSelector(`${ITEM} >> text="On QR code created"`);
      const events = (await visibleTexts(page, ITEM)).filter((text) => text.startsWith('On '));
      assert.equal(events.length, 15);
      assert.deepEqual(
        events.filter((event) => event.includes('qr')),
        [],
      );
    });
  });

  const START = ['Credential', 'Resource', 'Operation'];
  const WRITE = ['Include Input Fields', 'Options'];
  const CREATE = ['Name', 'Target URL', 'Publish After Creating', ...WRITE];

  step('the forms show what an operation needs', async () => {
    const row = { name: 'Table 4', targetUrl: 'https://example.com/' };
    const forms: [parameters: INodeParameters, labels: string[]][] = [
      [row, CREATE],
      [{ operation: 'upsert', ...row }, ['Match By', 'QR Code', 'Name', 'Target URL', ...WRITE]],
      [{ operation: 'upsert', matchBy: 'name', ...row }, ['Match By', 'Name', 'Target URL', ...WRITE]],
    ];
    const { id, nodes } = await save(
      'Forms',
      forms.map(([parameters]) => parameters),
    );
    for (const [index, [, labels]] of forms.entries())
      await inEditor(`/workflow/${id}/${nodes[index + 1]!.id}`, async (page) => {
        await page.waitForSelector(`${LABELS} >> text="Options"`, { timeout: 20_000 });
        assert.deepEqual(await visibleTexts(page, LABELS), [...START, ...labels]);
      });
  });

  step('the credential shows three fields, and its test confirms the connection', async () => {
    const ref = await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator));
    await inEditor(`/home/credentials/${ref.id}`, async (page) => {
      await page.waitForSelector('[data-test-id="baseUrl"]', { timeout: 20_000 });
      // Saving needs a change.
      await page.fill('[data-test-id="baseUrl"] input', `${emulator.url}/`);
      await page.click(SAVE);
      await page.waitForSelector(`text=/^Connection tested successfully/`, { timeout: 20_000 });
      const labels = (await visibleTexts(page, 'label')).map((label) => label.replace(/\s*\*$/, ''));
      const own = labels.slice(0, labels.indexOf('Allowed HTTP Request Domains'));
      assert.deepEqual(own, ['API Key', 'Base URL', 'Allowed Destinations']);
    });
  });
}

/** First lines of the visible elements. */
function visibleTexts(page: Page, selector: string): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => element.innerText.trim().split('\\n')[0].trim())`,
  );
}
