import { API_PATH, BRAND } from '@qr-service/core/connector';
import type { Emulator } from '../emulator/startEmulator.ts';

/** Printed once the emulator is running. */
export function banner({ url, redirectUrl, apiKey, workspace }: Emulator, db: string | undefined): string {
  return `${BRAND.name} emulator at ${url}

  API key      ${apiKey}
  Workspace    ${workspace.name} (${workspace.id})
  Short links  ${redirectUrl}
  Database     ${db ?? 'in memory, lost when the emulator stops'}

Try it:
  curl -H 'Authorization: Bearer ${apiKey}' ${url}${API_PATH}/me

Ctrl-C stops it.
`;
}
