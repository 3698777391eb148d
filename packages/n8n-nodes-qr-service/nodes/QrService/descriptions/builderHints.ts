import type { IBuilderHintVariation } from 'n8n-workflow';
import { BRAND } from '../../../core.ts';

/** What n8n's AI builder should know about an operation that its parameters don't say, by resource and operation. */
const HINTS: Record<string, Record<string, string>> = {
  qrCode: {
    create:
      'Creates and publishes one code for each item, again in each execution: to prevent duplicates, set options.deduplicationKey to a value that identifies the row. To keep a sheet and its codes in step, use upsert.',
    find: 'If nothing matches, it returns no items, and later nodes do not run unless alwaysOutputData is on. Turn on exactMatch before a node that changes the code.',
    getAll: `For one list. To start on each changed code, use ${BRAND.name} Polling Trigger.`,
    publish: 'Only for codes that were created with publish off. Create and upsert publish by themselves.',
    render:
      'Adds a file in binaryPropertyName ("data"), which a later node uploads, attaches or writes. Get the code from an operation that publishes it.',
    retarget: 'For a code that is known to exist. For rows that may have none yet, use upsert.',
    upsert:
      'The operation for sheets: pass the ID in the row as qrCodeId, and write the "id" of the output back to the row. An ID that does not exist is an error and creates nothing.',
  },
  scan: { getAll: `For a report. To start on each new scan, use ${BRAND.name} Polling Trigger.` },
};

/** The hints in the form that n8n prints into the types of each operation. */
export const BUILDER_HINTS: IBuilderHintVariation[] = Object.entries(HINTS).flatMap(
  ([resource, operations]) =>
    Object.entries(operations).map(([operation, hint]) => ({
      content: `@builderHint ${hint}`,
      displayOptions: { show: { resource: [resource], operation: [operation] } },
    })),
);
