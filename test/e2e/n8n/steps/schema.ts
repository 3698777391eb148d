import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, type Page } from '../../../../scripts/tools/chromium.ts';
import { step } from '../../support/suite/step.ts';
import { until } from '../../support/n8n/executions.ts';
import { chain, CREATE, MANUAL_TRIGGER } from '../../support/n8n/workflows.ts';
import { PACKAGE_DIR, type World } from '../../support/n8n/world.ts';
import type { SharedEditor } from '../editor.ts';

const SLACK = 'n8n-nodes-base.slack';

export function schemaSteps({ server, n8n, credential }: World, editor: SharedEditor): void {
  /** Output of the build, as URLs of n8n: `…/QrService/__schema__/v1.0.0/qrCode/get.json`. */
  const schemaFiles = readdirSync(join(PACKAGE_DIR, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .flatMap((path) => {
      const [, className = '', file] = /(\w+)\/__schema__\/v(.+\.json)$/.exec(path) ?? [];
      if (file === undefined) return [];
      const node = className.charAt(0).toLowerCase() + className.slice(1);
      return [{ path, url: `${server.url}/schemas/n8n-nodes-qr-service.${node}/${file}` }];
    });

  step('n8n serves the output schema of each operation and trigger of the installed package', async () => {
    assert.ok(schemaFiles.length >= 10, `${schemaFiles.length} schemas`);
    for (const { path, url } of schemaFiles) {
      const response = await fetch(url);
      const built = readFileSync(join(PACKAGE_DIR, 'dist', path), 'utf8');
      assert.deepEqual([url, response.status, await response.text()], [url, 200, built]);
    }
  });

  if (findChromium() === undefined) return;
  let page: Page;
  step('the editor opens', async () => {
    ({ page } = await editor.open());
  });

  const textOf = async (selector: string) => (await page.locator(selector).allInnerTexts()).join('\n');

  step('a field of a node that never ran can be dragged into the next node', async () => {
    const message = { resource: 'message', operation: 'post', select: 'channel', text: '' };
    const workflow = chain('Preview', credential, [
      { name: 'Start', type: MANUAL_TRIGGER },
      CREATE,
      { name: 'Message', type: SLACK, typeVersion: 2.3, parameters: message },
    ]);
    const id = await n8n.saveWorkflow(workflow);
    await page.goto(`${server.url}/workflow/${id}/${workflow.nodes[2]!.id}`);
    await page.waitForSelector('[data-test-id="schema-preview-warning"]', { timeout: 60_000 });
    const target = '[data-test-id="parameter-input-text"]';
    await page.dragAndDrop('[data-test-id="run-data-schema-item"] >> text="publicUrl"', target);
    await until('the field is in the parameter', async () =>
      (await textOf(target)).includes('{{ $json.publicUrl }}'),
    );
  });
}
