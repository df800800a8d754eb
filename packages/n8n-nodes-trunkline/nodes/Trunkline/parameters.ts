import type { IExecuteFunctions } from 'n8n-workflow';
import { asText } from './as-text.ts';

/** The id in a field, whether chosen from a list, entered, or returned by an expression. */
export function idOf(context: IExecuteFunctions, name: string, itemIndex: number): string {
  return asText(context.getNodeParameter(name, itemIndex, '', { extractValue: true })).trim();
}

export function textOf(context: IExecuteFunctions, name: string, itemIndex: number): string {
  return asText(context.getNodeParameter(name, itemIndex, ''));
}

/** The entries of a field, separated by commas, semicolons or lines. */
export function listOf(context: IExecuteFunctions, name: string, itemIndex: number): readonly string[] {
  return textOf(context, name, itemIndex)
    .split(/[,;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Undefined for all entries. */
export function limitOf(context: IExecuteFunctions, itemIndex: number): number | undefined {
  if (context.getNodeParameter('returnAll', itemIndex, false) === true) return undefined;
  return Number(context.getNodeParameter('limit', itemIndex, 50));
}
