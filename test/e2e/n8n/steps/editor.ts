import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { ACTION, workflowWithRows } from '../../support/n8n/workflows.ts';
import { CREDENTIAL_TYPE, credentialFor, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { eventually, type Picker, type SharedEditor } from '../editor.ts';

type SeedCode = NonNullable<NonNullable<EmulatorOptions['seed']>['codes']>[number];

const PARAMETER = 'qrCodeId';

const codes = (count: number, fields: (index: number) => Partial<SeedCode> = () => ({})): SeedCode[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `qr_${i}`,
    name: `Table ${i}`,
    targetUrl: 'https://example.com/',
    ...fields(i),
  }));

/** What users see in n8n's editor, each with a separate service. */
export function editorSteps({ n8n }: World, shared: SharedEditor): void {
  async function withService(seed: SeedCode[], use: (emulator: Emulator) => Promise<void>): Promise<void> {
    const emulator = await startEmulator({ seed: { codes: seed } });
    try {
      await use(emulator);
    } finally {
      await emulator.stop();
    }
  }

  const credentialOf = (service: Emulator) => n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(service));

  /** Opens the list of codes of a new node. */
  async function openPicker(service: Emulator): Promise<Picker> {
    const id = randomUUID();
    const workflow = workflowWithRows('Picker', await credentialOf(service), [{}], {
      id,
      name: 'Get',
      type: ACTION,
      parameters: { resource: 'qrCode', operation: 'get' },
    });
    const editor = await shared.open();
    await editor.openNode(await n8n.saveWorkflow(workflow), id);
    const picker = editor.picker(PARAMETER);
    await picker.open();
    return picker;
  }

  const namesIn = async (picker: Picker) =>
    (await picker.entries()).map((entry) => entry.replace(/ \(.*\)$/, ''));
  const matching = (text: string, count: number) =>
    codes(count)
      .map(({ name }) => name)
      .filter((name) => name.includes(text));

  step('the picker finds all 11 matches among 301 codes, also after fast typing', () =>
    withService(codes(301), async (emulator) => {
      const picker = await openPicker(emulator);
      await picker.search('Table 29');
      await eventually(async () => (await namesIn(picker)).sort(), matching('Table 29', 301).sort());

      const before = emulator.control.requestCount();
      emulator.control.failNext({ times: 4, delayMs: 300 });
      await picker.search('Table 1');
      await eventually(() => Promise.resolve(emulator.control.requestCount() > before), true);
      await picker.search('Table 30');
      await eventually(() => namesIn(picker), ['Table 30', 'Table 300']);
      await picker.clickLast();
      await eventually(async () => (await picker.chosen()).startsWith('Table 30'), true);
    }),
  );

  step("the picker shows where it stopped searching, in an entry that can't be chosen", () =>
    withService(
      codes(450, (i) => (i === 449 ? { name: 'Late' } : {})),
      async (emulator) => {
        const picker = await openPicker(emulator);
        // No page is read after ten seconds.
        emulator.control.failNext({ times: Infinity, delayMs: 3000 });
        const end = 'Not all codes were searched. Use By ID or By URL.';
        await picker.search('Table 19');
        await eventually(async () => (await picker.entries()).at(-1), end);
        assert.equal((await picker.entries()).length, matching('Table 19', 400).length + 1);
        await picker.enterLast();
        assert.equal(await picker.chosen(), '');

        await picker.search('Late');
        await eventually(() => picker.entries(), [end]);
        await picker.clickLast();
        await picker.enterLast();
        assert.equal(await picker.chosen(), '');
        assert.deepEqual(await picker.entries(), [end]);
      },
    ),
  );
}
