import type { Row } from './run.ts';

/**
 * A connection's label from a template such as `{{workspaceName}}`, as Zapier's `invoke auth label` fills it: with fields
 * of the connection test's result, or of the bundle (`{{bundle.authData.baseUrl}}`), with `__` for a period.
 */
export function fillConnectionLabel(template: string, bundle: { authData: object; inputData: Row }): string {
  const fields: Row = { ...bundle.inputData, bundle };
  return template.replaceAll('__', '.').replaceAll(/\{\{([^{}]+)\}\}/g, (_all, path: string) => {
    const value = path
      .trim()
      .split('.')
      .reduce<unknown>((part, key) => (part as Row | null | undefined)?.[key], fields);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
}
