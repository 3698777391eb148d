import { ACTIONS } from '../../../core.ts';

/** What an operation does, as n8n has it said: "Create a …". */
export function operationDescription(action: keyof typeof ACTIONS): string {
  const { command, object } = ACTIONS[action];
  return `${command} ${object}`;
}
