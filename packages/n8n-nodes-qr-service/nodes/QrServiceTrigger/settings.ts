import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { Parameters } from '../shared/parameters.ts';
import { ALL_EVENTS, chosenEventTypes, EVENTS_PROPERTY } from './events.ts';
import { OPTIONS, RAW, SAMPLE_WHEN_TESTING, TOLERANCE } from './options.ts';

/** What an activation needs of the node's parameters. */
export interface ActivationSettings {
  /** The event types to subscribe to, sorted. */
  eventTypes: string[];
  sampleWhenTesting: boolean;
}

/** What a delivery needs of them. */
export interface DeliverySettings {
  /** The event types that start the workflow; undefined for whatever the subscription brings. */
  eventTypes: string[] | undefined;
  raw: boolean;
  /** Seconds. */
  toleranceSeconds: number;
}

/**
 * Reads and checks all parameters, those too that only deliveries need: nobody is there to see an error when one
 * arrives.
 * @throws ParameterError for one that can't be used, NodeOperationError when no event is chosen
 */
export function readActivationSettings(context: IHookFunctions): ActivationSettings {
  const parameters = Parameters.ofTrigger(context);
  const eventTypes = chosenEventTypes(parameters.severalOf(EVENTS_PROPERTY));
  const options = parameters.in(OPTIONS);
  options.yesNo(RAW);
  options.wholeNumber(TOLERANCE);
  const sampleWhenTesting = options.yesNo(SAMPLE_WHEN_TESTING);
  if (eventTypes.length > 0) return { eventTypes, sampleWhenTesting };
  throw new NodeOperationError(context.getNode(), 'No event is chosen.', {
    description: 'Choose at least one under Events.',
  });
}

/**
 * The same for a delivery. It never fails: a genuine event is not lost to a setting that can't be used, as one
 * changed since the activation may be. Such a setting has its default; a tolerance that is too long, the longest.
 */
export function readDeliverySettings(context: IWebhookFunctions): DeliverySettings {
  const parameters = Parameters.ofTrigger(context);
  const options = () => parameters.in(OPTIONS);
  const chosen = usable(() => parameters.severalOf(EVENTS_PROPERTY)) ?? [];
  // All events are also those that came to the service after this version of the node.
  const isAny = chosen.length === 0 || chosen.includes(ALL_EVENTS);
  const { minValue, maxValue } = TOLERANCE.typeOptions;
  const anyTolerance = { ...TOLERANCE, typeOptions: { minValue } };
  const tolerance = usable(() => options().wholeNumber(anyTolerance)) ?? TOLERANCE.default;
  return {
    eventTypes: isAny ? undefined : chosenEventTypes(chosen),
    raw: usable(() => options().yesNo(RAW)) ?? RAW.default,
    toleranceSeconds: Math.min(tolerance, maxValue),
  };
}

/** What a reading gives, or undefined where it fails: for a value that can't be used, or in its expression. */
function usable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
