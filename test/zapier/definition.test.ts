import app from 'zapier-qr-service';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import type { PlainInputField, PlainOutputField } from 'zapier-platform-core';
import { createZapierEngine } from '../../engines/zapier/index.ts';

test("Zapier's own validation finds nothing", async () => {
  const engine = await createZapierEngine({ auth: { apiKey: 'none' } });
  expect(await engine.validate()).toEqual([]);
  await engine.close();
});

test('validation is one that can find something', async () => {
  const broken = { ...app, creates: { create_qr_code: { ...app.creates['create_qr_code'], key: 'other' } } };
  const engine = await createZapierEngine({ auth: { apiKey: 'none' }, app: broken });
  expect(await engine.validate()).not.toEqual([]);
  await engine.close();
});

test('the versions are those of the package and of the engine', () => {
  expect(app.version).toBe(packageJson.version);
  expect(app.platformVersion).toBe(packageJson.dependencies['zapier-platform-core']);
});

test('keys that saved Zaps hold', () => {
  expect(Object.keys(app.creates)).toEqual([
    'create_qr_code',
    'publish_qr_code',
    'retarget_qr_code',
    'render_qr_code',
  ]);
  expect(Object.keys(app.searches)).toEqual(['find_qr_code']);
  expect(app.searchOrCreates.find_qr_code).toMatchObject({
    search: 'find_qr_code',
    create: 'create_qr_code',
  });
  expect(app.authentication.fields?.map(({ key }) => key)).toEqual(['apiKey', 'baseUrl']);
  const inputs = Object.values(app.creates).map(({ key, operation }) => [
    key,
    (operation.inputFields as PlainInputField[]).map((field) => field.key),
  ]);
  expect(Object.fromEntries(inputs)).toEqual({
    create_qr_code: ['name', 'targetUrl', 'publishNow', 'deduplicationKey'],
    publish_qr_code: ['qrCodeId', 'deduplicationKey'],
    retarget_qr_code: ['qrCodeId', 'url', 'deduplicationKey'],
    render_qr_code: ['qrCodeId', 'format', 'size'],
  });
});

const parts = [...Object.values(app.triggers), ...Object.values(app.searches), ...Object.values(app.creates)];

describe.each(parts.map((part) => [part.key, part] as const))('%s', (_key, { display, operation }) => {
  const outputFields = operation.outputFields as PlainOutputField[];

  test('has one and the same field in its sample and its output fields, each with a label', () => {
    expect(Object.keys(operation.sample ?? {}).sort()).toEqual(outputFields.map(({ key }) => key).sort());
    for (const field of outputFields)
      expect(field).toMatchObject({ label: expect.stringMatching(/^[A-Z]/), type: expect.any(String) });
  });

  test('is described as Zapier wants it', () => {
    expect(display.label).toMatch(/^([A-Z]\w*|or|of)( ([A-Z]\w*|or|of))*$/);
    expect(display.description).toMatch(/^(Triggers when|Creates|Finds|Publishes|Changes) .*\.$/);
    expect(display.description?.length).toBeGreaterThanOrEqual(40);
    expect(display.description?.length).toBeLessThanOrEqual(140);
    expect(`${display.label} ${display.description}`).not.toMatch(/zapier/i);
  });
});

test('writes to one code wait for each other', () => {
  for (const key of ['publish_qr_code', 'retarget_qr_code'])
    expect(app.creates[key]?.operation.lock?.key).toContain('{{bundle.inputData.qrCodeId}}');
});
