import type { Row, RunMethod } from './run.ts';

/** One page of a dropdown. */
export interface DropdownPage {
  choices: { id: string; label: string }[];
  /** Token for the next page; undefined on the last page. */
  pagingToken?: string;
}

const STEP_TYPES = ['creates', 'searches', 'triggers'] as const;

type Definition = Partial<
  Record<string, Record<string, { operation: { inputFields?: { key?: string }[] } }>>
>;

/** Loads a page of a field's dropdown, as the editor does. */
export async function openDropdown(
  run: RunMethod,
  definition: object,
  request: { step: string; field: string; pagingToken?: string | undefined },
): Promise<DropdownPage> {
  const meta = { isFillingDynamicDropdown: true, paging_token: request.pagingToken };
  return readPage(await run(findMethod(definition, request), { meta }));
}

function findMethod(definition: Definition, { step, field }: { step: string; field: string }): string {
  for (const type of STEP_TYPES) {
    const fields = definition[type]?.[step]?.operation.inputFields ?? [];
    const index = fields.findIndex(({ key }) => key === field);
    if (index !== -1) return `${type}.${step}.operation.inputFields.${index}.choices.perform`;
  }
  throw new Error(`The app has no step ${step} with a field ${field}.`);
}

/** A dropdown returns `{ results, paging_token }`, or a bare list if it has only one page. */
function readPage(response: unknown): DropdownPage {
  const { results, paging_token: pagingToken } = Array.isArray(response)
    ? { results: response as Row[], paging_token: null }
    : (response as { results: Row[]; paging_token: string | null | undefined });
  const choices = results.map(({ id, label }) => {
    if (typeof id !== 'string' || typeof label !== 'string')
      throw new Error('A dropdown choice has no id or no label.');
    return { id, label };
  });
  return typeof pagingToken === 'string' ? { choices, pagingToken } : { choices };
}
