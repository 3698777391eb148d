import type { McpServer } from '@modelcontextprotocol/server';
import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { z } from 'zod';

/**
 * Offers prompts for the two usual jobs, if the tools are there that they need.
 * @param has whether a tool is offered
 */
export function registerPrompts(server: McpServer, has: (tool: string) => boolean): void {
  if (['create_qr_codes', 'render_qr_codes'].every(has)) registerPrintableCodes(server);
  if (['find_qr_codes', 'retarget_qr_code', 'publish_qr_code'].every(has)) registerMovePrintedCode(server);
}

function registerPrintableCodes(server: McpServer): void {
  server.registerPrompt(
    'printable_codes',
    {
      title: 'Rows to Printable QR Codes',
      description: 'Creates a QR code for each row of a table and draws it for printing.',
      argsSchema: z.object({
        rows: z.string().describe('The table: a name and a web address in each row.'),
        format: z
          .string()
          .optional()
          .describe(`Format of the files: ${IMAGE_FORMATS.join(', ')}. Default pdf.`),
      }),
    },
    ({ rows, format = 'pdf' }) =>
      message(
        'Create a QR code for each row of the table below.',
        '1. Check that each row has a name and a full web address. If anything is unclear, ask before you create anything.',
        `2. Call create_qr_codes with all rows, at most 100 in one call, and images set to ${format}.`,
        '3. If rows failed, correct them as their errors say and call it again with those rows only. If only images failed, call render_qr_codes for them.',
        '4. Reply with a table of name, short link and file or resource of each code, and list what failed and why.',
        '',
        rows,
      ),
  );
}

function registerMovePrintedCode(server: McpServer): void {
  server.registerPrompt(
    'move_printed_code',
    {
      title: 'Move a Printed QR Code',
      description: 'Changes where a printed QR code points, after checking that it is the right one.',
      argsSchema: z.object({
        code: z.string().describe('Name, ID or short link of the printed code.'),
        url: z.string().describe('The new web address.'),
      }),
    },
    ({ code, url }) =>
      message(
        `Change the QR code "${code}" so that it points to ${url}.`,
        '1. Find it with find_qr_codes. If several codes match, or none, ask which one is meant.',
        '2. Tell me its name, short link and, where it is known, where it points now, and wait for my approval: everyone who scans a printed copy is affected at once.',
        '3. Call retarget_qr_code. If the code is not published, call publish_qr_code as well.',
        '4. Tell me the previous and the new destination.',
      ),
  );
}

function message(...lines: readonly string[]) {
  return {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: lines.join('\n') } }],
  };
}
