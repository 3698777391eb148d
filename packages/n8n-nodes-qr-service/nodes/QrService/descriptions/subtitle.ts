import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * What the canvas shows below the node: "Create: QR Code". An expression over the labels of its resources and
 * operations; other values, as in an imported workflow, are shown unchanged.
 */
export function subtitle(properties: readonly INodeProperties[]): string {
  const [resource] = properties.filter(({ name }) => name === 'resource');
  const labels = optionsOf(resource).flatMap(({ name: resourceLabel, value }) =>
    properties
      .filter((property) => property.name === 'operation' && isOf(property, value))
      .flatMap(optionsOf)
      .map((operation) => [`${value}.${operation.value}`, `${operation.name}: ${resourceLabel}`]),
  );
  const chosen = '[$parameter["resource"], $parameter["operation"]]';
  return `={{ (${JSON.stringify(Object.fromEntries(labels))})[${chosen}.join(".")] ?? ${chosen}.reverse().filter((value) => typeof value === "string" && value !== "").join(": ") }}`;
}

function isOf({ displayOptions }: INodeProperties, resource: INodePropertyOptions['value']): boolean {
  return displayOptions?.show?.['resource']?.includes(resource) === true;
}

function optionsOf(property: INodeProperties | undefined): INodePropertyOptions[] {
  return (property?.options ?? []) as INodePropertyOptions[];
}
