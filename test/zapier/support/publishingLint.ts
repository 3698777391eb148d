import { BRAND } from '@qr-service/core/connector';

/**
 * What Zapier's checks before publishing (its "integration check reference", by id) and its reviewers' written
 * requirements ask of a definition, and the local validation does not look at.
 */

interface InputField {
  key: string;
  label?: string;
  type?: string;
  helpText?: string;
  choices?: unknown;
  dynamic?: string;
  search?: string;
  default?: string;
}

interface OutputField {
  key: string;
  label?: string;
  type?: string;
  sample?: unknown;
}

interface Step {
  key: string;
  noun?: string;
  display: { label: string; description: string };
  operation: {
    type?: string;
    inputFields?: InputField[];
    outputFields?: OutputField[];
    sample?: Record<string, unknown>;
    [method: string]: unknown;
  };
}

/** An app's definition as it is sent to Zapier, as far as the checks read it. */
export interface Definition {
  authentication: { fields: InputField[]; connectionLabel?: unknown };
  triggers: Record<string, Step>;
  searches: Record<string, Step>;
  creates: Record<string, Step>;
  searchOrCreates: Record<string, Pick<Step, 'display'> & { search: string; create: string }>;
}

/** Finds the places that break a rule. */
type Check = (app: Definition) => string[];

/** A finding: the rule and where it is broken. */
export interface Finding {
  check: string;
  where: string;
}

/** Everything that would hold up the publication of an app. */
export function lintForPublishing(app: Definition): Finding[] {
  return Object.entries(PUBLISHING_CHECKS).flatMap(([check, find]) =>
    find(app).map((where) => ({ check, where })),
  );
}

/** The checks, by Zapier's id where it has one. */
export const PUBLISHING_CHECKS: Record<string, Check> = {
  'D001: no step asks for a key': (app) =>
    where(inputsOf(app), ({ key }) => /api.?key|token|secret|password/i.test(key)),
  'D002: the help of a secret links to where it is made': (app) =>
    where(
      keyed(app.authentication.fields),
      ({ type, helpText = '' }) => type === 'password' && !/\]\(https:\/\/[^)]+\)/.test(helpText),
    ),
  'D003: a connection has a label': (app) =>
    app.authentication.connectionLabel === undefined ? ['authentication'] : [],
  'D004: ids are chosen, not typed': (app) =>
    where(
      inputsOf(app),
      (field) => /id$/i.test(field.label ?? '') || (/(^id|Id)$/.test(field.key) && !isDropdown(field)),
    ),
  'D005: a dropdown has a trigger or a function behind it': (app) =>
    where(
      inputsOf(app),
      ({ dynamic, choices }) =>
        (dynamic !== undefined && !has(app.triggers, dynamic)) ||
        (isObject(choices) && 'perform' in choices && !isFunction(choices['perform'])),
    ),
  'D006: an instant trigger lists samples': (app) => hooksWithout(app, 'performList'),
  'D007: every link is https': (app) => where(textsOf(app), (text) => /http:\/\//i.test(text)),
  'D008: an address is a Markdown link or in backticks': (app) =>
    where(helpOf(app), (text) =>
      /:\/\/|\bwww\.|\]\(/.test(text.replaceAll(/\[[^\]]+\]\([^)\s]+\)|`[^`]+`/g, '')),
    ),
  'D009: a search has something to search by': (app) =>
    where(Object.entries(app.searches), ({ operation }) => (operation.inputFields ?? []).length === 0),
  "D010: a poll's sample has an id": (app) =>
    where(
      Object.entries(app.triggers),
      ({ operation }) => operation.type !== 'hook' && operation.sample?.['id'] === undefined,
    ),
  'D011: help says more than the label': (app) =>
    where(inputsOf(app), ({ label = '', helpText }) => {
      const plain = (text: string) =>
        text
          .toLowerCase()
          .replaceAll(/[^a-z0-9 ]|\b(the|a|of|your)\b/g, '')
          .trim();
      return helpText !== undefined && plain(helpText) === plain(label);
    }),
  'D012: every step has a sample': (app) =>
    where(stepsOf(app), ({ operation }) => Object.keys(operation.sample ?? {}).length === 0),
  'D013: a search button leads to a search': (app) =>
    where(inputsOf(app), ({ search }) => search !== undefined && !has(app.searches, search)),
  'D014: a field with a search button has a dropdown': (app) =>
    where(inputsOf(app), (field) => field.search !== undefined && !isDropdown(field)),
  'D015: find-or-create has its two halves': (app) =>
    where(
      Object.entries(app.searchOrCreates),
      ({ search, create }) => !has(app.searches, search) || !has(app.creates, create),
    ),
  'D016: an instant trigger subscribes': (app) => hooksWithout(app, 'performSubscribe'),
  'D017: an instant trigger unsubscribes': (app) => hooksWithout(app, 'performUnsubscribe'),
  'D018: labels are in title case': (app) => where(labelsOf(app), (label) => !isTitleCase(label)),
  'D021: a trigger says "Triggers when …"': (app) =>
    where(Object.entries(app.triggers), ({ display }) => !display.description.startsWith('Triggers when ')),
  'D022: a create has fields of its own': (app) =>
    where(Object.entries(app.creates), ({ operation }) => (operation.inputFields ?? []).length === 0),
  'D023: times in samples are ISO 8601 with a zone': (app) =>
    where(
      outputsOf(app),
      ({ type, sample }) =>
        type === 'datetime' &&
        !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(String(sample)),
    ),
  'D024: samples fit the types of their fields': (app) =>
    where(outputsOf(app), ({ type, sample }) => !fitsType(type, sample)),
  'T004: sample and output fields hold the same keys and values': (app) =>
    where(stepsOf(app), ({ operation: { sample = {}, outputFields = [] } }) => {
      const fromFields = Object.fromEntries(outputFields.map((field) => [field.key, field.sample]));
      return JSON.stringify(sortedEntries(sample)) !== JSON.stringify(sortedEntries(fromFields));
    }),
  'output fields have labels and types': (app) =>
    where(outputsOf(app), ({ label, type }) => label === undefined || type === undefined),
  'input fields have types and help, unless a list of choices explains them': (app) =>
    where(
      inputsOf(app),
      ({ type, helpText, choices }) =>
        type === undefined || (helpText === undefined && choices === undefined),
    ),
  'help is a sentence of 20 to 200 characters': (app) =>
    where(helpOf(app), (text) => text.length < 20 || text.length > 200 || !text.endsWith('.')),
  'a description has 40 to 140 characters and ends with a period': (app) =>
    where(descriptionsOf(app), (text) => text.length < 40 || text.length > 140 || !text.endsWith('.')),
  'an action says what it does: "Creates …", "Updates …"': (app) =>
    where(
      Object.entries(app.creates),
      ({ display }) => !/^(Creates|Updates|Publishes) /.test(display.description),
    ),
  'a search says "Finds …"': (app) =>
    where<Pick<Step, 'display'>>(
      [...Object.entries(app.searches), ...Object.entries(app.searchOrCreates)],
      ({ display }) => !display.label.startsWith('Find ') || !display.description.startsWith('Finds '),
    ),
  'texts name neither Zapier nor this app, and nouns in them are lower case': (app) =>
    where(
      descriptionsOf(app),
      (text) => /zapier/i.test(text) || text.includes(BRAND.name) || text.includes('QR Code'),
    ),
  'a step has a singular noun': (app) =>
    where(stepsOf(app), ({ noun }) => noun === undefined || !isTitleCase(noun) || noun.endsWith('s')),
};

/** Parts of a definition with their places in it. */
type Placed<Part> = [place: string, part: Part][];

function where<Part>(parts: Placed<Part>, isBroken: (part: Part) => boolean): string[] {
  return parts.filter(([, part]) => isBroken(part)).map(([place]) => place);
}

function keyed<Field extends { key: string }>(fields: Field[]): Placed<Field> {
  return fields.map((field) => [field.key, field]);
}

function stepsOf({ triggers, searches, creates }: Definition): Placed<Step> {
  return [triggers, searches, creates].flatMap((steps) => Object.entries(steps));
}

function inputsOf(app: Definition): Placed<InputField> {
  return fieldsOf(app, ({ operation }) => operation.inputFields);
}

function outputsOf(app: Definition): Placed<OutputField> {
  return fieldsOf(app, ({ operation }) => operation.outputFields);
}

function fieldsOf<Field extends { key: string }>(
  app: Definition,
  read: (step: Step) => Field[] | undefined,
): Placed<Field> {
  return stepsOf(app).flatMap(([place, step]) =>
    (read(step) ?? []).map((field): [string, Field] => [`${place}.${field.key}`, field]),
  );
}

/** Help texts of inputs and of the connection. */
function helpOf(app: Definition): Placed<string> {
  const fields = [...keyed(app.authentication.fields), ...inputsOf(app)];
  return fields.flatMap(([place, { helpText }]): Placed<string> =>
    helpText === undefined ? [] : [[place, helpText]],
  );
}

function displaysOf(app: Definition): Placed<Step['display']> {
  const all: Placed<Pick<Step, 'display'>> = [...stepsOf(app), ...Object.entries(app.searchOrCreates)];
  return all.map(([place, { display }]) => [place, display]);
}

function descriptionsOf(app: Definition): Placed<string> {
  return displaysOf(app).map(([place, { description }]) => [place, description]);
}

function labelsOf(app: Definition): Placed<string> {
  const labelled: Placed<{ label?: string }> = [...displaysOf(app), ...inputsOf(app), ...outputsOf(app)];
  return labelled.map(([place, { label }]) => [place, label ?? '']);
}

/** Every text of the definition, by the part that it is in. */
function textsOf(app: Definition): Placed<string> {
  return Object.entries(app).map(([part, value]) => [part, JSON.stringify(value)]);
}

function hooksWithout(app: Definition, method: string): string[] {
  return where(
    Object.entries(app.triggers),
    ({ operation }) => operation.type === 'hook' && !isFunction(operation[method]),
  );
}

function has(steps: Record<string, Step>, reference: string): boolean {
  return Object.hasOwn(steps, reference.split('.')[0] ?? '');
}

/** Functions are names like `$func$2$f$` in a definition that is sent. */
function isFunction(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('$func$');
}

function isDropdown({ dynamic, choices }: InputField): boolean {
  return dynamic !== undefined || (isObject(choices) && isFunction(choices['perform']));
}

const SMALL_WORDS = /^(a|an|and|as|at|but|by|for|if|in|of|on|or|the|to|via|with)$/;

function isTitleCase(label: string): boolean {
  const words = label.split(/[\s-]+/);
  return words.every(
    (word, at) => /^[A-Z0-9]/.test(word) || (SMALL_WORDS.test(word) && at > 0 && at < words.length - 1),
  );
}

function fitsType(type: string | undefined, sample: unknown): boolean {
  if (type === 'integer') return Number.isInteger(sample);
  if (type === 'boolean') return typeof sample === 'boolean';
  return typeof sample === 'string' && sample !== '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function sortedEntries(row: Record<string, unknown>): [string, unknown][] {
  return Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
}
