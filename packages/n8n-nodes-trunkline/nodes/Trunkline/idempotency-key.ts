import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Identifies an item's message, so that it is sent once, however often n8n tries. "Retry On Fail" keeps the execution.
 * A retry from the list of executions has a new execution id, but the same beginning and input.
 */
export function idempotencyKey(context: IExecuteFunctions, itemIndex: number): string {
  const own: unknown = context.getNodeParameter('options.idempotencyKey', itemIndex, '');
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  const { $runIndex } = context.getWorkflowDataProxy(itemIndex);
  const parts = [
    context.getInstanceId(),
    context.getWorkflow().id,
    context.getNode().id,
    beginningOf(context),
    $runIndex,
    itemIndex,
    // The input, because executions can begin in the same millisecond.
    context.getInputData()[itemIndex]?.json,
  ];
  return `n8n-${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
}

/** When the execution began. Older versions of n8n have no execution context, only the execution id. */
function beginningOf(
  context: Partial<Pick<IExecuteFunctions, 'getExecutionContext'>> & IExecuteFunctions,
): unknown {
  return context.getExecutionContext?.()?.establishedAt ?? context.getExecutionId();
}
