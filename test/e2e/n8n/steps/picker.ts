import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import type { Page } from '../../../../scripts/tools/chromium.ts';
import { ACTION, chain, MANUAL_TRIGGER } from '../../support/n8n/workflows.ts';
import { CREDENTIAL_TYPE, credentialFor, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { eventually, PANEL, type SharedEditor } from '../editor.ts';

const SEARCH = '[data-test-id="node-creator-search-bar"]';
const ITEM = '[data-test-id="node-creator-item-name"]';
const DESCRIPTION = '[data-test-id="node-creator-item-description"]';
const LABELS = `${PANEL} label`;
const SAVE = 'button:has-text("Save")';

const START = ['Credential', 'Resource', 'Operation'];
const WRITE = ['Include Input Fields', 'Options'];
const ROW = { name: 'Table 4', targetUrl: 'https://example.com/' };

/** Labels of a node's form, by its parameters. */
const FORMS: [parameters: INodeParameters, labels: string[]][] = [
  [ROW, [...START, 'Name', 'Target URL', 'Publish After Creating', ...WRITE]],
  [{ operation: 'upsert', ...ROW }, [...START, 'Match By', 'QR Code', 'Name', 'Target URL', ...WRITE]],
  [{ operation: 'upsert', matchBy: 'name', ...ROW }, [...START, 'Match By', 'Name', 'Target URL', ...WRITE]],
];

/** Checks the node picker, and the forms of nodes and credentials in a real browser. */
export function pickerSteps({ n8n, emulator, credential }: World, shared: SharedEditor): void {
  // The picker offers actions if there is a trigger. One workflow: without a reload, n8n doesn't open another one's nodes.
  const workflow = chain('Forms', credential, [
    { name: 'Start', type: MANUAL_TRIGGER },
    ...FORMS.map(([parameters], index) => ({ name: `Form ${index}`, type: ACTION, parameters })),
  ]);
  let saved: Promise<string> | undefined;

  async function open(path: string): Promise<Page> {
    const editor = await shared.open();
    await editor.goTo(path);
    return editor.page;
  }

  async function openWorkflow(nodeId = ''): Promise<Page> {
    const id = await (saved ??= n8n.saveWorkflow(workflow));
    return open(`/workflow/${id}/${nodeId}`);
  }

  async function openPicker(): Promise<Page> {
    const page = await openWorkflow();
    if (!(await page.isVisible(SEARCH))) await page.click('[data-test-id="node-creator-plus-button"]');
    await page.waitForSelector(SEARCH);
    return page;
  }

  step('the node picker finds the package by the words that people search for', async () => {
    const page = await openPicker();
    for (const words of [
      'qr',
      'link shortener',
      'url shortener',
      'dynamic link',
      'barcode',
      'retarget',
      'render',
    ]) {
      await page.fill(SEARCH, words);
      await page.waitForSelector(`${ITEM} >> text="QR Service"`);
    }
    const descriptions = await visibleTexts(page, DESCRIPTION);
    assert.ok(
      descriptions.some((text) => /^Create and update QR codes, or start/.test(text)),
      descriptions.join('\n'),
    );
  });

  step('the node picker lists actions without articles, and every event', async () => {
    const page = await openPicker();
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

  step('the forms show what an operation needs', async () => {
    for (const [index, [, labels]] of FORMS.entries()) {
      const page = await openWorkflow(workflow.nodes[index + 1]!.id);
      await eventually(() => visibleTexts(page, LABELS), labels);
    }
  });

  step('the credential shows three fields, and its test confirms the connection', async () => {
    const ref = await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator));
    const page = await open(`/home/credentials/${ref.id}`);
    // Saving needs a change.
    await page.fill('[data-test-id="baseUrl"] input', `${emulator.url}/`);
    await page.click(SAVE);
    await page.waitForSelector(`text=/^Connection tested successfully/`);
    const labels = (await visibleTexts(page, 'label')).map((label) => label.replace(/\s*\*$/, ''));
    const own = labels.slice(0, labels.indexOf('Allowed HTTP Request Domains'));
    assert.deepEqual(own, ['API Key', 'Base URL', 'Allowed Destinations']);
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
