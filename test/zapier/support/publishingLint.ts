import { BRAND } from '@qr-service/core/connector';

/**
 * Zapier's checks before publishing (its "Integration check reference", by ID) and the written requirements of its
 * reviewers ("Integration publishing requirements", by number), as far as they can be checked on a definition. The
 * local validation checks none of them.
 */

interface InputField {
  key: string;
  label?: string;
  type?: string;
  helpText?: string;
  placeholder?: string;
  choices?: unknown;
  dynamic?: string;
  search?: string;
  default?: string;
  list?: boolean;
  dict?: boolean;
  children?: unknown;
}

interface OutputField {
  key: string;
  label?: string;
  type?: string;
  sample?: unknown;
  primary?: boolean;
}

/** The name of a function that loads fields in the editor. */
type FieldFunction = string;

interface Step {
  key: string;
  noun?: string;
  display: { label: string; description: string; hidden?: boolean };
  operation: {
    type?: string;
    inputFields?: (InputField | FieldFunction)[];
    outputFields?: (OutputField | FieldFunction)[];
    sample?: Record<string, unknown>;
    cleanInputData?: boolean;
    [method: string]: unknown;
  };
}

/** The parts of an app's definition, as sent to Zapier, that the checks read. */
export interface Definition {
  flags?: { cleanInputData?: boolean };
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

/** Everything that would block the publication of an app. */
export function lintForPublishing(app: Definition): Finding[] {
  return Object.entries(PUBLISHING_CHECKS).flatMap(([check, find]) =>
    find(app).map((where) => ({ check, where })),
  );
}

/** The checks, by Zapier's ID or number if they have one. */
export const PUBLISHING_CHECKS: Record<string, Check> = {
  'D001, 5.5: no step asks for a key': (app) =>
    where(
      inputsOf(app),
      ({ key, type }) => type === 'password' || /api.?key|token|secret|password/i.test(key),
    ),
  'D002: the help of a secret links to where it is created': (app) =>
    where(
      keyed(app.authentication.fields),
      ({ type, helpText = '' }) => type === 'password' && !/\]\(https:\/\/[^)]+\)/.test(helpText),
    ),
  'D003, 5.6: a connection label consists of fields of its test, without secrets or fixed text': ({
    authentication: { fields, connectionLabel },
  }) => (isConnectionLabel(connectionLabel, fields) ? [] : ['authentication.connectionLabel']),
  'D004: IDs are chosen, not typed': (app) =>
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
  'D007, 4.2: every URL is https': (app) => where(textsOf(app), (text) => /http:\/\//i.test(text)),
  'D008: a URL is a Markdown link or in backticks': (app) =>
    where(helpOf(app), (text) =>
      /:\/\/|\bwww\.|\]\(/.test(text.replaceAll(/\[[^\]]+\]\([^)\s]+\)|`[^`]+`/g, '')),
    ),
  'D009: a search has something to search by': (app) =>
    where(Object.entries(app.searches), ({ operation }) => (operation.inputFields ?? []).length === 0),
  "D010: a polling trigger's sample has its primary key, by default the id": (app) =>
    where(Object.entries(app.triggers), ({ operation: { type, sample = {}, outputFields } }) => {
      const primary = plainFields(outputFields).filter((field) => field.primary === true);
      const keys = primary.length === 0 ? ['id'] : primary.map(({ key }) => key);
      return type !== 'hook' && keys.some((key) => sample[key] === undefined);
    }),
  'D011: help adds to the label': (app) =>
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
  'D013: a search button leads to a visible search': (app) =>
    where(inputsOf(app), ({ search }) => search !== undefined && !isVisible(app.searches, search)),
  'D014: a field with a search button has a single text or number': (app) =>
    where(
      inputsOf(app),
      ({ search, type = 'string', list, dict, children }) =>
        search !== undefined &&
        (!['string', 'number', 'integer'].includes(type) ||
          list === true ||
          dict === true ||
          children !== undefined),
    ),
  'a field with a search button has a dropdown, too': (app) =>
    where(inputsOf(app), (field) => field.search !== undefined && !isDropdown(field)),
  'D015: find-or-create has its two visible halves': (app) =>
    where(
      Object.entries(app.searchOrCreates),
      ({ search, create }) => !isVisible(app.searches, search) || !isVisible(app.creates, create),
    ),
  'D016, D017: an instant trigger subscribes and unsubscribes': (app) => [
    ...hooksWithout(app, 'performSubscribe'),
    ...hooksWithout(app, 'performUnsubscribe'),
  ],
  'D018: labels are in title case': (app) => where(labelsOf(app), (label) => !isTitleCase(label)),
  'D021: a trigger description is "Triggers when …."': (app) =>
    where(
      Object.entries(app.triggers),
      ({ display: { description } }) => !/^Triggers when .*\.$/.test(description),
    ),
  'D022: an action has fields that all users share': (app) =>
    where(Object.entries(app.creates), ({ operation }) => plainFields(operation.inputFields).length === 0),
  'D023: times in samples are ISO 8601 with a zone': (app) =>
    where(
      outputsOf(app),
      ({ type, sample }) =>
        type === 'datetime' &&
        !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(String(sample)),
    ),
  'D024: samples fit the types of their fields': (app) =>
    where(outputsOf(app), ({ type, sample }) => !fitsType(type, sample)),
  'D025: no URL runs code': (app) =>
    where(textsOf(app), (text) => /\b(?:javascript|vbscript):|\bdata:[a-z]+\//i.test(text)),
  'D028: empty inputs reach the steps': ({ flags, ...app }) => [
    ...(flags?.cleanInputData === false ? [] : ['flags.cleanInputData']),
    ...where(stepsOf(app), ({ operation }) => operation.cleanInputData === true),
  ],
  'T004: sample and output fields have the same keys and values': (app) =>
    where(stepsOf(app), ({ operation: { sample = {}, outputFields } }) => {
      const fromFields = Object.fromEntries(
        plainFields(outputFields).map((field) => [field.key, field.sample]),
      );
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
  'a text field shows an example of what to enter': (app) =>
    where(
      inputsOf(app),
      (field) =>
        (field.type === 'string' || field.type === 'text') &&
        field.choices === undefined &&
        !isDropdown(field) &&
        field.placeholder === undefined,
    ),
  'help is a sentence of 20 to 200 characters': (app) =>
    where(helpOf(app), (text) => {
      const { length } = text.replaceAll(/\]\(.*?\)/g, ']');
      return length < 20 || length > 200 || !text.endsWith('.');
    }),
  'a description has 40 to 140 characters and ends with a period': (app) =>
    where(descriptionsOf(app), (text) => text.length < 40 || text.length > 140 || !text.endsWith('.')),
  '5.8: an action starts with a verb: "Create …", "Creates …"': (app) =>
    where(
      Object.entries(app.creates),
      ({ display }) =>
        !/^(Create|Publish|Update) /.test(display.label) || !/^[A-Z][a-z]+s /.test(display.description),
    ),
  '5.8: a search description starts with "Finds …"': (app) =>
    where<Pick<Step, 'display'>>(
      [...Object.entries(app.searches), ...Object.entries(app.searchOrCreates)],
      ({ display }) => !display.label.startsWith('Find ') || !display.description.startsWith('Finds '),
    ),
  'descriptions name neither Zapier nor this app, and nouns in them are lower case': (app) =>
    where(
      descriptionsOf(app),
      (text) => /zapier/i.test(text) || text.includes(BRAND.name) || text.includes('QR Code'),
    ),
  'a step has a singular noun': (app) =>
    where(stepsOf(app), ({ noun }) => noun === undefined || !isTitleCase(noun) || noun.endsWith('s')),
};

/** Parts of a definition with their paths. */
type Placed<Part> = [place: string, part: Part][];

function where<Part>(parts: Placed<Part>, isBroken: (part: Part) => boolean): string[] {
  return parts.filter(([, part]) => isBroken(part)).map(([place]) => place);
}

function keyed<Field extends { key: string }>(fields: Field[]): Placed<Field> {
  return fields.map((field) => [field.key, field]);
}

type Steps = Pick<Definition, 'triggers' | 'searches' | 'creates'>;

function stepsOf({ triggers, searches, creates }: Steps): Placed<Step> {
  return [triggers, searches, creates].flatMap((steps) => Object.entries(steps));
}

function inputsOf(app: Steps): Placed<InputField> {
  return fieldsOf(app, ({ operation }) => plainFields(operation.inputFields));
}

function outputsOf(app: Steps): Placed<OutputField> {
  return fieldsOf(app, ({ operation }) => plainFields(operation.outputFields));
}

function fieldsOf<Field extends { key: string }>(app: Steps, read: (step: Step) => Field[]): Placed<Field> {
  return stepsOf(app).flatMap(([place, step]) =>
    read(step).map((field): [string, Field] => [`${place}.${field.key}`, field]),
  );
}

/** The fields without those that a function loads in the editor. */
function plainFields<Field extends object>(fields: readonly (Field | FieldFunction)[] = []): Field[] {
  return fields.filter((field) => typeof field !== 'string');
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

/** Every text of the definition, with the part that contains it. */
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
  return Object.hasOwn(steps, keyIn(reference));
}

function isVisible(steps: Record<string, Step>, reference: string): boolean {
  return has(steps, reference) && steps[keyIn(reference)]?.display.hidden !== true;
}

/** The step's key in a reference such as `find_qr_code.id`. */
function keyIn(reference: string): string {
  return reference.split('.')[0] ?? '';
}

/** Only templates can be evaluated here and by Zapier's `invoke auth label`. */
function isConnectionLabel(label: unknown, fields: readonly InputField[]): boolean {
  if (typeof label !== 'string' || label.includes(BRAND.name)) return false;
  const names = [...label.matchAll(/\{\{(?:bundle\.(?:authData|inputData)\.)?(\w+)\}\}/g)].map(
    ([, name = '']) => name,
  );
  const secrets = fields.filter(({ type }) => type === 'password').map(({ key }) => key);
  return names.length > 0 && names.every((name) => !secrets.includes(name) && !/id$/i.test(name));
}

/** In a definition as sent, functions are names like `$func$2$f$`. */
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
