import type { INodeProperties } from 'n8n-workflow';
import { showFor } from '../../descriptions/showFor.ts';

/** The Operation parameter of the account. */
export const accountOperation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Get',
      value: 'get',
      description: "Get the API key's workspace and scopes, and what doesn't work without the missing scopes",
      action: 'Get account',
    },
  ],
  default: 'get',
};

/** Parameters of the account's operations. */
export const accountProperties: INodeProperties[] = [...showFor('account', [], [accountOperation])];
