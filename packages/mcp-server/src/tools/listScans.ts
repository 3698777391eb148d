import { INPUTS, omitUndefined, scanRow, scanRows, showText } from '@qr-service/core/connector';
import type { ScanRow } from '@qr-service/core';
import { z } from 'zod';
import { SCAN_SCHEMA, scanLine, scanRecord } from '../schemas/records.ts';
import { lines } from './codeResult.ts';
import { DEFAULT_LIMIT, limitArgument, moreText, readLimit, takeRows } from './takeRows.ts';
import { READS, type Tool, type ToolCall } from './Tool.ts';

/** Lists scans. */
export const listScans: Tool = {
  name: 'list_scans',
  title: 'List Scans',
  description: [
    'Lists individual scans of all QR codes, oldest first, from a time onwards.',
    'Use it to see when and where codes were scanned; set since, or the list starts with the oldest scan.',
    `Returns the first ${DEFAULT_LIMIT} scans unless limit says otherwise, how many more there are, and allowedDimensions: the dimensions, such as country or device, that the workspace's privacy settings allow. Others are missing from every scan.`,
    'It never identifies visitors and has no totals.',
  ].join(' '),
  annotations: READS,
  operations: ['scans.list'],
  input: z.object({
    since: z.string().optional().describe(INPUTS.since.help),
    limit: limitArgument('scans'),
  }),
  output: z.object({
    scans: z.array(SCAN_SCHEMA),
    more: z.int().describe('Number of later scans that were left out.'),
    moreIsMinimum: z.boolean().describe('Whether there may be even more.'),
    allowedDimensions: z
      .array(z.string())
      .describe("Dimensions that the workspace's privacy settings allow."),
  }),
  run: async (call) => {
    const { args, report } = call;
    const since = args.time('since');
    const limit = readLimit(args);
    const allowed = new Set<string>();
    const taken = await takeRows(scansOf(call, since, allowed), limit, {
      report: (read) => report(read, undefined, `${read} scans read`),
    });
    const scans = scanRows(taken.rows).map((scan) => scanRecord(scanRow(scan)));
    const list = scans.length === 0 ? ['No scans were found.'] : scans.map(scanLine);
    const more = moreText(taken, 'To list later ones, set since to the time of the last scan here.');
    const dimensions =
      allowed.size === 0
        ? ''
        : `Allowed dimensions: ${[...allowed].map((name) => showText(name)).join(', ')}.`;
    return {
      text: lines(...list, more, dimensions),
      structured: {
        scans,
        more: taken.more,
        moreIsMinimum: taken.isMinimum,
        allowedDimensions: [...allowed],
      },
    };
  },
};

/** The scans, adding the dimensions that each page allows. */
async function* scansOf(
  { client, signal }: ToolCall,
  since: string | undefined,
  allowed: Set<string>,
): AsyncGenerator<ScanRow, void, undefined> {
  for await (const { rows, allowedDimensions } of client.scans
    .list(omitUndefined({ since }), { signal })
    .pages()) {
    for (const dimension of allowedDimensions) allowed.add(dimension);
    yield* rows;
  }
}
