import type { CommandDefinition } from '../support/command.ts';
import { RESEND } from './resend.ts';
import { TAIL } from './tail.ts';
import { TRIGGER } from './trigger.ts';

/** The commands for a running emulator, in the order of `--help`. */
export const COMMANDS: readonly CommandDefinition[] = [TRIGGER, RESEND, TAIL];
