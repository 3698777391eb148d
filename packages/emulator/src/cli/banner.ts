import { API_PATH, BRAND } from '@qr-service/core/connector';
import type { Emulator } from '../emulator/startEmulator.ts';

/**
 * Printed once the emulator is running.
 * @param command how the emulator's command is typed here
 */
export function banner(
  { url, redirectUrl, apiKey, workspace }: Emulator,
  db: string | undefined,
  command: string,
): string {
  return `${BRAND.name} emulator at ${url}

  Inspector    ${url}  (open it in a browser)
  API key      ${apiKey}
  Workspace    ${workspace.name} (${workspace.id})
  Short links  ${redirectUrl}
  Database     ${db ?? 'in memory, lost when the emulator stops'}

Try it:
  curl -H 'Authorization: Bearer ${apiKey}' ${url}${API_PATH}/me
  ${command} --help    connects n8n and Zapier, and makes requests fail

Below: one line for each request and delivery.
Ctrl-C stops it.
`;
}
