import * as z from 'zod';
import { CODE_SCHEMA } from '../schemas/records.ts';

/** Structured content of a tool that returns one code. */
export const CODE_OUTPUT = z.object({ qrCode: CODE_SCHEMA });

/** What to do about a code that isn't published; empty for any other. */
export function draftText({ status }: Record<string, unknown>): string {
  return status === 'draft' ? "Its short link doesn't work until it is published with publish_qr_code." : '';
}

/** Joins the parts of a line that aren't empty. */
export function words(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** Joins the parts of a text that aren't empty, one on each line. */
export function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}
