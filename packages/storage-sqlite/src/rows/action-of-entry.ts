/**
 * A condition that finds the action of an entry in a queue, whose id has the prefix of messages (`actionEntryId`). Relies
 * on the primary key of `message_actions`.
 */
export function actionOfEntry(entryId: string): string {
  return `message_actions.id = 'act' || substr(${entryId}, ${'msg'.length + 1})`;
}
