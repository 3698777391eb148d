import { identifyScans, INPUTS, omitUndefined, type ScanOutputRow, type ScanRow } from '../../../deps.ts';
import { collection, inputProperty } from '../../platform/properties.ts';
import { limitProperty, returnAllProperty } from '../common/descriptions.ts';
import { rowLimit, takeRows } from '../common/listRows.ts';
import type { Operation } from '../common/operation.ts';

export const option = {
  name: 'Get Many',
  action: 'Get many scans',
  description: "Get many scans of QR codes, as far as the workspace's privacy settings allow",
};

const sinceFilter = inputProperty(INPUTS.since);

const filters = collection('Filter', sinceFilter);

export const properties = [returnAllProperty, limitProperty, filters];

/** Scans, in the service's order. Each gets an `id` and a `scannedAt`, which docs/api.md#scans doesn't promise. */
export const start: Operation['start'] = (run) => ({
  check(parameters) {
    const since = parameters.in(filters).time(sinceFilter);
    const limit = rowLimit(run, parameters);
    return async () => {
      const scans = scanItems(run.client.scans.list(omitUndefined({ since }), run.requestOptions));
      const words = { rows: 'scans', advice: 'To list later ones, use Since.' };
      return { outputs: await takeRows(run, scans, limit, words) };
    };
  },
});

async function* scanItems(rows: AsyncIterable<ScanRow>): AsyncGenerator<ScanOutputRow> {
  const seen = new Set<string>();
  for await (const row of rows) yield* identifyScans([row], seen);
}
