import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { INode } from 'n8n-workflow';
import type { WorkflowJson } from '../../../engines/n8n/index.ts';
import type { CredentialRef, Execution } from '../support/n8n/n8nRest.ts';
import { chain, MANUAL_TRIGGER } from '../support/n8n/workflows.ts';
import type { World } from '../support/n8n/world.ts';
import { startScriptedModel, type Script, type ScriptedModel } from './scriptedModel.ts';

/** Nodes of n8n for AI. */
export const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** A node that an agent uses as a tool. */
export type ToolNode = Omit<INode, 'id' | 'position'>;

/** Lets the agent follow a script. Throws if an assertion of the script fails. */
type RunScript = (script: Script) => Promise<Execution>;

/** A real AI Agent with the tools, whose model follows a script. It is saved when it first runs. */
export function scriptedAgent(
  { n8n, credential }: World,
  name: string,
  tools: () => ToolNode[] | Promise<ToolNode[]>,
): RunScript {
  let agent: Promise<{ model: ScriptedModel; workflowId: string }> | undefined;
  after(async () => (await agent)?.model.close());

  async function saveAgent() {
    const model = await startScriptedModel();
    const modelCredential = await n8n.saveCredential('openAiApi', { apiKey: 'none', url: model.url });
    const workflow = agentWorkflow(name, credential, modelCredential, await tools());
    return { model, workflowId: await n8n.saveWorkflow(workflow) };
  }

  return async (script) => {
    const { model, workflowId } = await (agent ??= saveAgent());
    let failure: Error | undefined;
    model.follow(function* (shown) {
      try {
        return yield* script(shown);
      } catch (error) {
        failure = error as Error;
        throw error;
      }
    });
    const execution = await n8n.waitUntilEnded(await n8n.run(workflowId, 'Start'));
    if (failure !== undefined) throw failure;
    assert.equal(execution.status, 'success', execution.error);
    return execution;
  };
}

function agentWorkflow(
  name: string,
  credential: CredentialRef,
  modelCredential: CredentialRef,
  tools: readonly ToolNode[],
): WorkflowJson {
  const workflow = chain(name, credential, [
    { name: 'Start', type: MANUAL_TRIGGER },
    {
      name: 'AI Agent',
      type: `${LANGCHAIN}.agent`,
      typeVersion: 3.1,
      parameters: { promptType: 'define', text: 'Do what the script says.' },
    },
  ]);
  const addSubNode = (type: 'ai_languageModel' | 'ai_tool', node: ToolNode) => {
    workflow.nodes.push({ id: node.name, position: [0, 200], ...node });
    workflow.connections[node.name] = { [type]: [[{ node: 'AI Agent', type, index: 0 }]] };
  };
  addSubNode('ai_languageModel', {
    name: 'Model',
    type: `${LANGCHAIN}.lmChatOpenAi`,
    typeVersion: 1.2,
    parameters: { model: { __rl: true, mode: 'id', value: 'scripted' } },
    credentials: { openAiApi: modelCredential },
  });
  for (const tool of tools) addSubNode('ai_tool', tool);
  return workflow;
}
