// npm run zapier:definition  prints all texts of the Zapier app, in the order that users see them
import app from 'zapier-qr-service';

/** The visible part of a step's field. */
interface Field {
  key: string;
  label?: string;
  type?: string;
  required?: boolean;
  group?: string;
  helpText?: string;
  placeholder?: string;
  default?: string;
  computed?: boolean;
  choices?: unknown;
  sample?: unknown;
}

/** The visible part of a trigger, search or action. */
interface Step {
  key: string;
  noun?: string;
  display: { label: string; description: string; hidden?: boolean };
  operation?: {
    type?: string;
    inputFields?: unknown;
    inputFieldGroups?: { key: string; label?: string }[];
    outputFields?: unknown;
  };
}

const { authentication, triggers, searches, searchOrCreates, creates } = app as unknown as {
  authentication: { fields: Field[]; connectionLabel: unknown };
} & Record<'triggers' | 'searches' | 'searchOrCreates' | 'creates', Record<string, Step>>;

const lines: string[] = [];
heading('Connection');
printInputs(authentication.fields);
const { connectionLabel } = authentication;
lines.push('', `Label: ${typeof connectionLabel === 'string' ? connectionLabel : '(computed)'}`);
for (const [title, steps] of Object.entries({
  Triggers: triggers,
  Actions: creates,
  Searches: searches,
  'Find or create': searchOrCreates,
})) {
  heading(title);
  for (const step of Object.values(steps)) printStep(step);
}
console.log(lines.join('\n').trim());

function heading(title: string): void {
  lines.push('', '', title.toUpperCase());
}

function printStep({ key, noun, display, operation = {} }: Step): void {
  const facts = [
    key,
    noun && `noun: ${noun}`,
    operation.type === 'hook' && 'instant',
    display.hidden && 'hidden',
  ];
  lines.push('', `${display.label}  [${facts.filter(Boolean).join(', ')}]`, `  ${display.description}`);
  const groups = new Map(operation.inputFieldGroups?.map(({ key: group, label }) => [group, label ?? group]));
  printInputs(operation.inputFields, groups);
  const outputs = fieldsOf(operation.outputFields).map((field) =>
    typeof field === 'string' ? field : `${field.label ?? field.key} (${JSON.stringify(field.sample)})`,
  );
  if (outputs.length > 0) lines.push(`  Output: ${outputs.join(', ')}`);
}

function printInputs(inputs: unknown, groups = new Map<string, string>()): void {
  let group: string | undefined;
  for (const field of fieldsOf(inputs)) {
    if (typeof field === 'string') {
      lines.push(`  ${field}`);
      continue;
    }
    if (field.computed === true) continue;
    if (field.group !== group) lines.push(`  ${groups.get(field.group ?? '') ?? 'No group'}:`);
    group = field.group;
    printInput(field);
  }
}

function printInput(field: Field): void {
  const facts = [
    field.key,
    field.type,
    field.required === true && 'required',
    field.default !== undefined && `default: ${field.default}`,
    field.placeholder !== undefined && `placeholder: ${field.placeholder}`,
  ];
  lines.push(`  - ${field.label ?? field.key}  [${facts.filter(Boolean).join(', ')}]`);
  if (field.helpText !== undefined) lines.push(`      ${field.helpText}`);
  if (field.choices !== undefined) lines.push(`      Choices: ${choicesOf(field.choices)}`);
}

function choicesOf(choices: unknown): string {
  if (Array.isArray(choices)) return choices.map((choice: { label: string }) => choice.label).join(', ');
  const labels = Object.values(choices as object).filter((label) => typeof label === 'string');
  return labels.length > 0 ? labels.join(', ') : '(read from the account)';
}

/** The fields of a list. A function among them loads further fields in the editor. */
function fieldsOf(fields: unknown): (Field | string)[] {
  return [fields ?? []]
    .flat()
    .map((field: unknown) =>
      typeof field === 'function' ? '(more, read from the account)' : (field as Field),
    );
}
