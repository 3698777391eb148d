import { ignoreCase, isSameUrl } from './code.ts';
import { isByName, type UpsertRow } from './CodeUpserter.ts';
import { INPUTS } from './inputs.ts';
import { ParameterError } from './parameters/ParameterError.ts';
import { showValue } from './parameters/showValue.ts';

/**
 * The rows of a run that have the same new name but different targets, each with its error: of two codes that were meant,
 * one would lead to the other's target. Rows with the same ID are changes of one code, of which the last one wins.
 * @param rows by their index
 * @param nameOf how a platform calls a row, for example `row 2`
 */
export function conflictingRows(
  rows: ReadonlyMap<number, UpsertRow>,
  nameOf: (index: number) => string,
): Map<number, ParameterError> {
  const byName = new Map<string, [index: number, row: UpsertRow][]>();
  for (const [index, row] of rows) {
    if (!isByName(row)) continue;
    const name = ignoreCase(row.name);
    byName
      .set(name, byName.get(name) ?? [])
      .get(name)
      ?.push([index, row]);
  }
  const errors = new Map<number, ParameterError>();
  for (const sameName of byName.values()) {
    const [first] = sameName as [[number, UpsertRow]];
    const other = sameName.find(([, { targetUrl }]) => !isSameUrl(targetUrl, first[1].targetUrl));
    if (other === undefined) continue;
    const targets = [first, other].map(([index, row]) => `${showValue(row.targetUrl)} in ${nameOf(index)}`);
    const error = new ParameterError(
      `The name ${showValue(first[1].name)} has two targets: ${targets.join(' and ')}.`,
      {
        code: 'conflicting_rows',
        parameter: INPUTS.name.label,
        advice:
          'Nothing was sent for these rows. Use a different name for each QR code, or the same target, or match by ID.',
      },
    );
    for (const [index] of sameName) errors.set(index, error);
  }
  return errors;
}
