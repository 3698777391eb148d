import { ACTIONS } from '@qr-service/core/connector';

/** What a step does, as Zapier has it said: "Creates a …." */
export function stepDescription(action: keyof typeof ACTIONS): string {
  const { statement, object } = ACTIONS[action];
  return `${statement} ${object}.`;
}
