import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BRAND } from '@qr-service/core/connector';
import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import { createZapierEngine } from '../../engines/zapier/index.ts';

const folder = path.join(__dirname, '../../packages/zapier-qr-service');

interface Field {
  key: string;
  label?: string;
  type?: string;
  helpText?: string;
  choices?: unknown;
  sample?: unknown;
}

interface Step {
  noun?: string;
  display: { label: string; description: string };
  /** In a definition as sent, a function that loads fields is its name. */
  operation: { inputFields?: (Field | string)[]; outputFields?: (Field | string)[] };
}

/** An app's definition as sent to Zapier. */
interface Definition {
  flags: { cleanInputData?: boolean };
  authentication: { fields: Field[] };
  triggers: Record<string, Step>;
  searches: Record<string, Step>;
  creates: Record<string, Step>;
  searchOrCreates: Record<string, Pick<Step, 'display'>>;
}

/** Parts of a definition with their paths. */
type Placed<Part> = [place: string, part: Part][];

let app: Definition;
let steps: Placed<Step>;
/** Steps and "find or create". */
let displays: Placed<Step['display']>;
let inputs: Placed<Field>;
let outputs: Placed<Field>;
/** Help texts of inputs and of the connection. */
let helps: Placed<string>;

beforeAll(async () => {
  const engine = await createZapierEngine({ auth: { apiKey: 'none' } });
  app = JSON.parse(JSON.stringify(await engine.definition())) as Definition;
  await engine.close();
  const { triggers, searches, creates, searchOrCreates } = app;
  steps = [triggers, searches, creates].flatMap((all) => Object.entries(all));
  displays = [...steps, ...Object.entries(searchOrCreates)].map(([place, { display }]) => [place, display]);
  const fieldsOf = (name: 'inputFields' | 'outputFields') =>
    steps.flatMap(([place, { operation }]) =>
      (operation[name] ?? [])
        .filter((field) => typeof field !== 'string')
        .map((field): [string, Field] => [`${place}.${field.key}`, field]),
    );
  inputs = fieldsOf('inputFields');
  outputs = fieldsOf('outputFields');
  const connection = app.authentication.fields.map((field): [string, Field] => [field.key, field]);
  helps = [...connection, ...inputs].flatMap(([place, { helpText }]): Placed<string> =>
    helpText === undefined ? [] : [[place, helpText]],
  );
  expect([steps, displays, inputs, outputs, helps].map(({ length }) => length > 15)).not.toContain(false);
});

function where<Part>(parts: Placed<Part>, isBroken: (part: Part) => boolean): string[] {
  return parts.filter(([, part]) => isBroken(part)).map(([place]) => place);
}

/**
 * Zapier's checks before publishing (its "Integration check reference", by ID) and the written requirements of its
 * reviewers ("Integration publishing requirements", by number). The local validation checks none of them. Each finds
 * the places that break it.
 */
const CHECKS: Record<string, () => string[]> = {
  'D001, 5.5: no step asks for a key': () =>
    where(inputs, ({ type, key }) => type === 'password' || /api.?key|token|secret|password/i.test(key)),
  'D002: the help of a secret links to where it is created': () =>
    app.authentication.fields
      .filter(({ type, helpText = '' }) => type === 'password' && !/\]\(https:\/\/[^)]+\)/.test(helpText))
      .map(({ key }) => key),
  'D004: IDs are chosen, not typed': () =>
    where(
      inputs,
      ({ label = '', key, choices }) => /id$/i.test(label) || (/(^id|Id)$/.test(key) && !isDropdown(choices)),
    ),
  'D007, 4.2: every URL is https': () => (/http:\/\//i.test(JSON.stringify(app)) ? ['the definition'] : []),
  'D008: a URL is a Markdown link or in backticks': () =>
    where(helps, (text) => /:\/\/|\bwww\.|\]\(/.test(text.replaceAll(/\[[^\]]+\]\([^)\s]+\)|`[^`]+`/g, ''))),
  'D018: labels are in title case': () => [
    ...where(displays, ({ label }) => !isTitleCase(label)),
    ...where([...inputs, ...outputs], ({ label = '' }) => !isTitleCase(label)),
  ],
  'D021: a trigger description is "Triggers when …."': () =>
    where(Object.entries(app.triggers), ({ display }) => !/^Triggers when .*\.$/.test(display.description)),
  'D023: times in samples are ISO 8601 with a zone': () =>
    where(
      outputs,
      ({ type, sample }) =>
        type === 'datetime' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(sample)),
    ),
  'D024: samples fit the types of their fields': () => where(outputs, (field) => !fitsType(field)),
  'D028: empty inputs reach the steps': () => (app.flags.cleanInputData === false ? [] : ['flags']),
  'help is a sentence of 20 to 200 characters': () =>
    where(helps, (text) => {
      const { length } = text.replaceAll(/\]\(.*?\)/g, ']');
      return length < 20 || length > 200 || !text.endsWith('.');
    }),
  'a description is a sentence of 40 to 140 characters that names neither Zapier nor this app': () =>
    where(
      displays,
      ({ description }) =>
        !/^.{39,139}\.$/.test(description) ||
        /zapier|QR Code/.test(description) ||
        description.includes(BRAND.name),
    ),
  '5.8: an action starts with a verb: "Create …", "Creates …"': () =>
    where(
      Object.entries(app.creates),
      ({ display }) =>
        !/^(Create|Publish|Update) /.test(display.label) || !/^[A-Z][a-z]+s /.test(display.description),
    ),
  '5.8: a search is "Find …" and described as "Finds …"': () =>
    where(
      [...Object.entries(app.searches), ...Object.entries(app.searchOrCreates)],
      ({ display }: Pick<Step, 'display'>) =>
        !display.label.startsWith('Find ') || !display.description.startsWith('Finds '),
    ),
  'a step has a singular noun': () =>
    where(steps, ({ noun = '' }) => !isTitleCase(noun) || noun.endsWith('s')),
};

test.each(Object.entries(CHECKS))('%s', (_rule, find) => {
  expect(find()).toEqual([]);
});

function isDropdown(choices: unknown): boolean {
  return typeof choices === 'object' && choices !== null && 'perform' in choices;
}

const SMALL_WORDS = /^(a|an|and|as|at|but|by|for|if|in|of|on|or|the|to|via|with)$/;

function isTitleCase(label: string): boolean {
  const words = label.split(/[\s-]+/);
  return words.every(
    (word, at) => /^[A-Z0-9]/.test(word) || (SMALL_WORDS.test(word) && at > 0 && at < words.length - 1),
  );
}

function fitsType({ type, sample }: Field): boolean {
  if (type === 'integer') return Number.isInteger(sample);
  if (type === 'boolean') return typeof sample === 'boolean';
  return typeof sample === 'string' && sample !== '';
}

describe('the listing', () => {
  test('has a square logo of 256 pixels with transparent corners, drawn from the SVG beside it', async () => {
    const file = await readFile(path.join(folder, 'logo.png'));
    const logo = PNG.sync.read(file);
    const alphaAt = (x: number, y: number) => logo.data[(y * logo.width + x) * 4 + 3];
    expect([logo.width, logo.height, alphaAt(0, 0), alphaAt(255, 255)]).toEqual([256, 256, 0, 0]);
    const svg = await readFile(path.join(folder, 'logo.svg'), 'utf8');
    const drawn = new Resvg(svg, { fitTo: { mode: 'width', value: 256 } }).render().asPng();
    // Write `drawn` to logo.png after a change of the SVG.
    expect(logo.data.equals(PNG.sync.read(drawn).data)).toBe(true);
  });

  test("has a description that meets Zapier's rule M002", async () => {
    const page = await readFile(path.join(folder, 'RELEASING.md'), 'utf8');
    const description = /^- \*\*Description\*\*: (.+)$/m.exec(page)?.[1] ?? '';
    expect(description.startsWith(`${BRAND.name} is a`)).toBe(true);
    expect(description).toMatch(/^.{39,139}\.$/);
    expect(description).not.toMatch(/zapier|sync|https?:/i);
  });
});
