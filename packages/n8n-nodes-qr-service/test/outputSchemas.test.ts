import { schemaFiles, type SchemaSource } from '../outputSchemas.ts';

const withOperation = (value: string): SchemaSource => ({
  name: 'qrService',
  version: [1, 1.1, 2],
  properties: [
    {
      name: 'operation',
      displayOptions: { show: { resource: ['qrCode'] } },
      options: [{ name: 'Any', value }],
    },
  ],
});

test('has a schema file for each version of the node, in the folder where n8n looks for it', () => {
  expect(Object.keys(schemaFiles(withOperation('get')))).toEqual([
    'v1.0.0/qrCode/get.json',
    'v1.1.0/qrCode/get.json',
    'v2.0.0/qrCode/get.json',
  ]);
  const trigger = { name: 'qrServiceTrigger', version: 1, properties: [] };
  expect(Object.keys(schemaFiles(trigger))).toEqual(['v1.0.0/output.json']);
});

test('fails for an operation or a trigger without a schema', () => {
  expect(() => schemaFiles(withOperation('merge'))).toThrow('no schema for qrService, qrCode/merge');
  expect(() => schemaFiles({ name: 'otherTrigger', version: 1, properties: [] })).toThrow('otherTrigger');
});
