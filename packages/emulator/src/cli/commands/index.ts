import type { CommandDefinition } from '../support/command.ts';
import { RESEND } from './resend.ts';
import { SETTINGS } from './settings.ts';
import { TRIGGER } from './trigger.ts';

/** The commands for a running emulator, in the order of `--help`. */
export const COMMANDS: readonly CommandDefinition[] = [TRIGGER, RESEND, SETTINGS];
