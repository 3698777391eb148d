import type { RunMethod } from './run.ts';

/** One page of a dropdown. */
interface DropdownPage {
  choices: { id: string; label: string }[];
  /** Token for the next page; undefined on the last page. */
  pagingToken?: string;
}

type Steps = Partial<Record<string, { operation: { inputFields?: { key?: string }[] } }>>;

/** Loads a page of a field's dropdown, as the editor does: `{ results, paging_token }`, or a bare list. */
export async function openDropdown(
  run: RunMethod,
  definition: object,
  { step, field, pagingToken }: { step: string; field: string; pagingToken?: string | undefined },
): Promise<DropdownPage> {
  const meta = { isFillingDynamicDropdown: true, paging_token: pagingToken };
  const response = await run(findMethod(definition as Record<string, Steps>, step, field), { meta });
  if (Array.isArray(response)) return { choices: response as DropdownPage['choices'] };
  const { results, paging_token: next } = response as {
    results: DropdownPage['choices'];
    paging_token: string | null | undefined;
  };
  return typeof next === 'string' ? { choices: results, pagingToken: next } : { choices: results };
}

function findMethod(definition: Record<string, Steps>, step: string, field: string): string {
  for (const type of ['creates', 'searches', 'triggers']) {
    const fields = definition[type]?.[step]?.operation.inputFields ?? [];
    const index = fields.findIndex(({ key }) => key === field);
    if (index !== -1) return `${type}.${step}.operation.inputFields.${index}.choices.perform`;
  }
  throw new Error(`The app has no step ${step} with a field ${field}.`);
}
