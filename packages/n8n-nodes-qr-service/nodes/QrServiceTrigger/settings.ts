import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { EventType } from '../../core.ts';
import { Parameters } from '../shared/parameters.ts';
import { ALL_EVENTS, chosenEventTypes, EVENTS_PROPERTY, firstChosen } from './events.ts';
import { OPTIONS, RAW, SAMPLE_WHEN_TESTING, TOLERANCE } from './options.ts';

/** The parameters that an activation needs. */
export interface ActivationSettings {
  /** The event types to subscribe to, sorted. */
  eventTypes: string[];
  /** The event type of the sample that a test receives; undefined if a test waits for a real event. */
  sampleType: EventType | undefined;
}

/** The parameters that a delivery needs. */
export interface DeliverySettings {
  /** The event types that start the workflow; undefined for all that are delivered. */
  eventTypes: string[] | undefined;
  raw: boolean;
  /** Seconds. */
  toleranceSeconds: number;
}

/**
 * Reads and checks all parameters, including those that only deliveries need: nobody sees an error when one arrives.
 * @throws ParameterError for one that isn't valid, NodeOperationError if no event is chosen
 */
export function readActivationSettings(context: IHookFunctions | IWebhookFunctions): ActivationSettings {
  const parameters = Parameters.ofTrigger(context);
  const chosen = parameters.severalOf(EVENTS_PROPERTY);
  const options = parameters.in(OPTIONS);
  options.yesNo(RAW);
  options.wholeNumber(TOLERANCE);
  const sendsSample = options.yesNo(SAMPLE_WHEN_TESTING);
  if (chosen.length > 0)
    return {
      eventTypes: chosenEventTypes(chosen),
      sampleType: sendsSample ? firstChosen(chosen) : undefined,
    };
  throw new NodeOperationError(context.getNode(), 'No event is chosen.', {
    description: 'Choose at least one under Events.',
  });
}

/**
 * The same for a delivery, without errors: a genuine event must not be lost to an invalid setting, for example one
 * changed since the activation. Such a setting has its default; a tolerance that is too long is capped.
 */
export function readDeliverySettings(context: IWebhookFunctions): DeliverySettings {
  const parameters = Parameters.ofTrigger(context);
  const options = () => parameters.in(OPTIONS);
  const chosen = validOrUndefined(() => parameters.severalOf(EVENTS_PROPERTY)) ?? [];
  // All events include those that the service added after this version of the node.
  const isAny = chosen.length === 0 || chosen.includes(ALL_EVENTS);
  const { minValue, maxValue } = TOLERANCE.typeOptions;
  const anyTolerance = { ...TOLERANCE, typeOptions: { minValue } };
  const tolerance = validOrUndefined(() => options().wholeNumber(anyTolerance)) ?? TOLERANCE.default;
  return {
    eventTypes: isAny ? undefined : chosenEventTypes(chosen),
    raw: validOrUndefined(() => options().yesNo(RAW)) ?? RAW.default,
    toleranceSeconds: Math.min(tolerance, maxValue),
  };
}

/** What `read` returns; undefined if the value or its expression isn't valid. */
function validOrUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
