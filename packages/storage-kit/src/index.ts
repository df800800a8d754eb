export { BOOLEAN, PLAIN_CODECS, uuidIds } from './codec.ts';
export type { Codec, Codecs } from './codec.ts';
export type { ColumnKind, RowMapper } from './columns.ts';
export { isOfTarget, readChats, targetsOf } from './chats.ts';
export type { ChatFacts, ChatTarget, ContactLookUps, UnfiledMessage } from './chats.ts';
export { laterOf, latestUnfiled, mergeIds, passesFilter, UNFILED_READ_MAX } from './unfiled-messages.ts';
export { entityRows } from './entity-rows.ts';
export type { EntityRows } from './entity-rows.ts';
export type {
  DeliveryOutcome,
  DeliveryWait,
  DownloadPlan,
  EndpointSettings,
  EventWait,
  InstanceState,
  StoredProcess,
} from './entities.ts';
export {
  deliveryIdsOf,
  earliestAttemptOf,
  ENDED_GENERATION,
  endedDeliveryKinds,
  FIRST_GENERATION,
  messageKinds,
  openDeliveryKinds,
} from './list-plans.ts';
export type { LaneGenerations, MessageKind, DeliveryKind } from './list-plans.ts';
export type { MessageColumns, MessageRows } from './message-rows.ts';
export type { MarkChange, MovableDatabase, MovedPage } from './movable-database.ts';
export { checkMark, MOVE_MARK, parseMoveMark, checkMoveMark } from './move-mark.ts';
export type { MoveCursor, MovedCount, MoveMark, MoveProgress } from './move-mark.ts';
export { MOVED_TABLE_NAMES, movedTable } from './moved-tables.ts';
export type {
  MovedColumn,
  MovedKind,
  MovedRow,
  MovedTable,
  MovedTableName,
  MovedValue,
} from './moved-tables.ts';
export { readFilteredPage } from './filtered-page.ts';
export { readSearchPage, walkByToken } from './search-page.ts';
export type { EntryRange, SearchIndex, TokenIndex, Walked, WalkedWindow, WindowWalk } from './search-page.ts';
export { changedTokens, SEARCH_WINDOW, storedWords, tokensOf, windowsOf } from './search-index.ts';
export type { SearchWindow } from './search-index.ts';
export { pageOf, planPage } from './page-plan.ts';
export type { IdBound, PagePlan } from './page-plan.ts';
export { rowReader } from './row-reader.ts';
export { senderRows } from './sender-rows.ts';
export type { SenderRows } from './sender-rows.ts';
export type { Row, RowReader } from './row-reader.ts';
export { checkStoredSchema, latestSchemaVersion, missingMigrations } from './stored-schema.ts';
export type { StoredSchema } from './stored-schema.ts';
export { whileOpen } from './while-open.ts';
export type { Closable, WhileOpen } from './while-open.ts';
