import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * The properties, shown only for a resource and some of its operations (none named: all of them) and
 * otherwise under their own conditions.
 */
export function showFor(
  resource: string,
  operations: string[],
  properties: INodeProperties[],
): INodeProperties[] {
  return properties.map((property) => {
    const displayOptions: IDisplayOptions = {
      ...property.displayOptions,
      show: {
        // These first: n8n shows a property as soon as it reaches a condition on a parameter with an expression.
        resource: [resource],
        ...(operations.length === 0 ? {} : { operation: operations }),
        ...property.displayOptions?.show,
      },
    };
    return { ...property, displayOptions };
  });
}
