import { ACTIONS } from '@qr-service/core/connector';

/** A step's description as Zapier requires it: "Creates a …", with a period. */
export function stepDescription(action: keyof typeof ACTIONS): string {
  const { statement, object } = ACTIONS[action];
  return `${statement} ${object}.`;
}
