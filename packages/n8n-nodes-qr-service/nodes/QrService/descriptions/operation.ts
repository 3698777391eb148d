import { ACTIONS } from '../../../core.ts';

/** What an operation does, in n8n's style: "Create a …". */
export function operationDescription(action: keyof typeof ACTIONS): string {
  const { command, object } = ACTIONS[action];
  return `${command} ${object}`;
}
