import { schemaFiles, type SchemaSource } from '../outputSchemas.ts';

const withOperation = (value: string): SchemaSource => ({
  name: 'qrService',
  properties: [
    {
      name: 'operation',
      displayOptions: { show: { resource: ['qrCode'] } },
      options: [{ name: 'Any', value }],
    },
  ],
});

test('fails for an operation or a trigger without a schema', () => {
  expect(() => schemaFiles(withOperation('merge'))).toThrow('no schema for qrService, qrCode/merge');
  expect(() => schemaFiles({ name: 'otherTrigger', properties: [] })).toThrow('otherTrigger');
});
