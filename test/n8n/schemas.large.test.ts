import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { eventFields } from '@qr-service/core/connector';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { loadOutputSchema, resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { action, codeBy, CREATE_LIVE, NODE, onEvents, onPoll } from './support/workflows.ts';
import { MANIFEST, PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('output schemas', () => {
  /** The parts of a schema that these tests read. */
  interface OutputSchema {
    properties?: Record<string, { enum?: string[] }>;
    anyOf?: OutputSchema[];
  }

  const ajv = new Ajv2020({ strictTypes: false, formats: fullFormats });

  const schemasOf = (name: string) =>
    join(PACKAGE_DIR, dirname(MANIFEST.nodes.find((file) => file.includes(`/${name}.node.`))!), '__schema__');

  /** The operations of the action node, by resource. */
  function operations(): { resource: string; operation: string }[] {
    return world
      .descriptionOf('qrService')
      .properties.filter(({ name }) => name === 'operation')
      .flatMap(({ displayOptions, options }) =>
        options!.map((option) => ({
          resource: displayOptions!.show!['resource']![0] as string,
          operation: (option as { value: string }).value,
        })),
      );
  }

  /** The schema that n8n serves for an operation. */
  function operationSchema(ref: { resource: string; operation: string }): OutputSchema {
    const path = resolveOutputSchemaPath({ nodeDir: dirname(schemasOf('QrService')), version: 1, ...ref });
    return JSON.parse(readFileSync(path!, 'utf8')) as OutputSchema;
  }

  /** The schema that n8n's AI reads for a trigger. */
  function triggerSchema(className: string): OutputSchema {
    const ref = { nodeDir: dirname(schemasOf(className)), version: 1, versionFallback: true };
    return loadOutputSchema(ref) as OutputSchema;
  }

  /** Validation errors, and fields of the schema that are missing in the data. */
  function problems(schema: OutputSchema, data: unknown): string[] {
    const validate = ajv.compile(schema as AnySchemaObject);
    const missing = Object.keys(schema.properties ?? {}).filter((key) => !(key in (data as object)));
    return [
      ...(validate(data) ? [] : [ajv.errorsText(validate.errors)]),
      ...missing.map((key) => `lacks ${key}`),
    ];
  }

  /** Fields of the data that are missing in the schema. */
  function leftOut({ properties = {} }: OutputSchema, data: object): string[] {
    return Object.keys(data).filter((key) => !(key in properties));
  }

  const byId = { qrCodeId: codeBy('id', '={{ $json.id }}') };

  /** Parameters of each operation on a code's row. */
  const PARAMETERS: Record<string, INodeParameters> = {
    'qrCode.create': CREATE_LIVE,
    'qrCode.find': { search: '={{ $json.name }}' },
    'qrCode.get': byId,
    'qrCode.publish': byId,
    'qrCode.render': byId,
    'qrCode.retarget': { ...byId, url: '={{ $json.targetUrl }}' },
    'qrCode.upsert': { ...byId, name: '={{ $json.name }}', targetUrl: '={{ $json.targetUrl }}' },
  };

  async function createCode(): Promise<IDataObject & { id: string; publicUrl: string }> {
    const row = { name: 'Table 9', targetUrl: 'https://example.com/9' };
    const { data } = await world.engine.runWorkflow(action(CREATE_LIVE, [row]));
    const code = data[NODE]![0]!.json as { id: string; publicUrl: string };
    await fetch(code.publicUrl, { redirect: 'manual' });
    return { ...row, ...code };
  }

  test('the output of every operation has the fields of its schema', async () => {
    expect(operations()).not.toEqual([]);
    for (const ref of operations()) {
      // A new one each time: an operation may end a code's life.
      const code = await createCode();
      const name = `${ref.resource}.${ref.operation}`;
      const parameters = { resource: ref.resource, operation: ref.operation, ...PARAMETERS[name] };
      const { data, error } = await world.engine.runWorkflow(action(parameters, [code]));
      const [{ json } = { json: {} }] = data[NODE] ?? [];
      const schema = operationSchema(ref);
      expect([name, error, problems(schema, json)]).toEqual([name, undefined, []]);
      // Only the fields of codes are documented (docs/api.md#qr-codes). An image is added to the input item.
      if (ref.resource === 'qrCode' && ref.operation !== 'render')
        expect([name, leftOut(schema, json)]).toEqual([name, []]);
    }
  });

  test('every event has the fields of its schema', async () => {
    const { anyOf = [] } = triggerSchema('QrServiceTrigger');
    const workflow = onEvents(['*'], 'schemas');
    const trigger = await world.engine.activateTrigger(workflow, NODE, { publicUrl: PUBLIC_URL });
    world.frontDoor.open(trigger);
    for (const type of EVENT_TYPES) world.emulator.control.emit(type);
    await world.emulator.control.settled();
    const rows = world.frontDoor.executions.splice(0).map(({ data }) => data['Rows']![0]!.json);
    expect(rows.map(({ type }) => type).sort()).toEqual([...EVENT_TYPES].sort());
    for (const row of rows) {
      const type = row['type'] as EventType;
      const schema = anyOf.find(({ properties }) => properties!['type']!.enum?.includes(type))!;
      expect([type, problems(schema, row)]).toEqual([type, []]);
      const keys = Object.keys(schema.properties!);
      expect([...keys].sort()).toEqual(
        eventFields(type)
          .map(({ key }) => key)
          .sort(),
      );
      expect(Object.keys(row).filter((key) => keys.includes(key))).toEqual(keys);
    }
    await trigger.deactivate();
    world.frontDoor.shut(trigger);
  });

  test.each(['changedCodes', 'scans'] as const)(
    'polled %s have the fields of their schema',
    async (watch) => {
      const [codes, scans] = triggerSchema('QrServicePollingTrigger').anyOf!;
      await createCode();
      const [item] = await world.engine.pollTrigger(onPoll(watch), NODE).test();
      expect(problems(watch === 'scans' ? scans! : codes!, item?.json)).toEqual([]);
    },
  );

  test('each operation and trigger has a schema, and no other files exist', () => {
    for (const [className, name] of [
      ['QrService', 'qrService'],
      ['QrServiceTrigger', 'qrServiceTrigger'],
      ['QrServicePollingTrigger', 'qrServicePollingTrigger'],
    ] as const) {
      const folder = schemasOf(className);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(folder, path)).isFile())
        .map((path) => path.replaceAll('\\', '/'));
      expect(world.descriptionOf(name).version).toBe(1);
      const expected =
        name === 'qrService'
          ? operations().map(({ resource, operation }) => `v1.0.0/${resource}/${operation}.json`)
          : ['v1.0.0/output.json'];
      expect(files.sort()).toEqual(expected.sort());
      // n8n's AI sees at most 3,000 characters of a schema.
      for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThan(3000);
    }
  });
});
