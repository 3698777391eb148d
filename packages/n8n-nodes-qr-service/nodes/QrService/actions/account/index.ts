import type { INodeProperties } from 'n8n-workflow';
import { showFor } from '../../descriptions/showFor.ts';

/** Choice of what to do with the account. */
export const accountOperation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Get',
      value: 'get',
      description:
        'Get the workspace that the API key opens, the scopes it has and what does not work without the others',
      action: 'Get the account',
    },
  ],
  default: 'get',
};

/** Operations on the account. */
export const accountProperties: INodeProperties[] = [...showFor('account', [], [accountOperation])];
