import type { DisplayCondition, INode, INodeProperties } from 'n8n-workflow';

/** Versions of the action node. Saved workflows keep their version, and so their form. */
export const VERSIONS = [1, 1.1];

/** The first version that moves rarely used parameters to Options. */
const SHORT_FORM = 1.1;

/**
 * The property only in the short form. Conditions, not lists of versions: a node without a version has the long form,
 * and one of a later version the short form.
 */
export function inShortForm(property: INodeProperties): INodeProperties {
  return inVersions(property, { _cnd: { gte: SHORT_FORM } });
}

/** The property only in the long form, that of version 1. */
export function inLongForm(property: INodeProperties): INodeProperties {
  return inVersions(property, { _cnd: { lt: SHORT_FORM } });
}

/** Whether a node has the short form. */
export function hasShortForm({ typeVersion }: INode): boolean {
  return typeVersion >= SHORT_FORM;
}

function inVersions(property: INodeProperties, condition: DisplayCondition): INodeProperties {
  const { displayOptions } = property;
  // The version first: n8n shows a property as soon as it reaches a condition on a parameter with an expression.
  const show = { '@version': [condition], ...displayOptions?.show };
  return { ...property, displayOptions: { ...displayOptions, show } };
}
