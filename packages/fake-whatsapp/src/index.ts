export { trustFakeWhatsApp } from './client-settings.ts';
export type { ClientSettings } from './client-settings.ts';
export type {
  Account,
  Action,
  AddressingMode,
  FakeWhatsApp,
  FakeWhatsAppOptions,
  Group,
  GroupOptions,
  InboundOptions,
  LinkedDevice,
  MessageMatch,
  Person,
  PersonOptions,
  ReceiptOptions,
  ReceivedReceipt,
  SentMessage,
  StreamError,
} from './fake-whatsapp.ts';
export { MEDIA_KINDS } from './content.ts';
export type { Content, MediaContent, MediaKind } from './content.ts';
