// Uses the emulator's types from an ES module. Those of its dependencies need a newer TypeScript.
import { startEmulator, type Emulator } from 'qr-service-emulator';

/** Only compiled, never run. */
export async function emulate(): Promise<Emulator> {
  // @ts-expect-error a port is a number
  await startEmulator({ port: '0' });
  return startEmulator();
}
