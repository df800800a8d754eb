import type {
  ChatAddress,
  Gateway,
  GatewayConnection,
  GatewayListener,
  GroupOutcome,
  GroupRequest,
  LinkedProfile,
  NumberLookup,
  OutgoingAction,
  OutgoingMessage,
  Pace,
  SendOutcome,
  Session,
  TypingState,
  UnlinkOptions,
} from '../../src/spi/gateway.ts';

export const PROFILE: LinkedProfile = {
  phoneNumber: '34911222333',
  profileName: 'Ada',
  profilePictureUrl: null,
};

/** The behaviour of the network; a test replaces the parts that it tests. */
export interface Script {
  /** The pace of each connection. By default, it has none. */
  readonly pace?: Pace;
  /** Called when a connection is requested. By default, links a number and opens the connection. */
  opened(connection: ScriptedConnection): Promise<void>;
  send(message: OutgoingMessage, connection: ScriptedConnection): Promise<SendOutcome>;
  act(action: OutgoingAction, connection: ScriptedConnection): Promise<SendOutcome>;
  showTyping(chat: ChatAddress, state: TypingState): Promise<void>;
  lookUp(numbers: readonly string[]): Promise<readonly NumberLookup[]>;
  setBlocked(person: ChatAddress, isBlocked: boolean): Promise<void>;
  /** By default, the network does what it is asked, for every participant. */
  manageGroup(request: GroupRequest): Promise<GroupOutcome>;
  /** By default, the network has no file. */
  openFile(reference: Uint8Array, connection: ScriptedConnection): Promise<ReadableStream<Uint8Array>>;
  close(connection: ScriptedConnection): Promise<void>;
  logout(connection: ScriptedConnection): Promise<void>;
  unlink(session: Session, options?: UnlinkOptions): Promise<void>;
}

interface ScriptedConnection {
  readonly session: Session;
  readonly listener: GatewayListener;
  readonly proxyUrl: string | null;
  /** Every send, including repeats. */
  readonly sent: OutgoingMessage[];
  state: 'open' | 'closed' | 'logged out';
}

export interface ScriptedGateway extends Gateway {
  readonly script: Script;
  /** The connections, oldest first. */
  readonly connections: readonly ScriptedConnection[];
  last(): ScriptedConnection;
  /** Every send of every connection, in order. */
  sent(): readonly OutgoingMessage[];
  /** The same for actions, which a test allows by the capability `reactions`. */
  acted(): readonly OutgoingAction[];
  /** The numbers of each lookup, by the capability `lookup`. */
  lookedUp(): readonly (readonly string[])[];
  /** The people who were blocked or unblocked, by the capability `block`. */
  blocks(): readonly { readonly person: ChatAddress; readonly isBlocked: boolean }[];
  /** The requests about groups, by the capability `group_admin`. */
  askedOfGroups(): readonly GroupRequest[];
  /** The same for what chats were shown, by the capability `typing`. */
  shown(): readonly { readonly chat: ChatAddress; readonly state: TypingState }[];
}

/** Shared by all gateways, because the network has no id twice. */
let ids = 0;

/** A gateway without a network: a test scripts the network, and reports anything through `listener`. */
export function scriptedGateway(changes: Partial<Script> = {}): ScriptedGateway {
  const connections: ScriptedConnection[] = [];
  const all: OutgoingMessage[] = [];
  const acted: OutgoingAction[] = [];
  const lookedUp: (readonly string[])[] = [];
  const blocks: { readonly person: ChatAddress; readonly isBlocked: boolean }[] = [];
  const askedOfGroups: GroupRequest[] = [];
  const shown: { readonly chat: ChatAddress; readonly state: TypingState }[] = [];
  const script: Script = {
    async opened({ listener }) {
      await listener.connected(PROFILE);
    },
    send: async () => ({ kind: 'accepted' }),
    act: async () => ({ kind: 'accepted' }),
    async showTyping() {},
    async setBlocked() {},
    lookUp: async (numbers) =>
      numbers.map((number) => ({ number, isOnNetwork: true, registeredNumber: number })),
    async manageGroup(request) {
      const people = 'participants' in request ? request.participants : [];
      return { kind: 'done', participants: people.map(() => ({ outcome: 'done' })) };
    },
    openFile: () => Promise.reject(new Error('404 Not Found')),
    async close() {},
    async logout() {},
    async unlink() {},
    ...changes,
  };
  const open = (session: Session, listener: GatewayListener, proxyUrl: string | null): GatewayConnection => {
    const connection: ScriptedConnection = { session, listener, proxyUrl, sent: [], state: 'open' };
    connections.push(connection);
    // A rejection here is intended by the test, and must not reach the service.
    script.opened(connection).catch(() => {});
    return {
      ...(script.pace && { pace: script.pace }),
      send(message) {
        connection.sent.push(message);
        all.push(message);
        return script.send(message, connection);
      },
      act(action) {
        acted.push(action);
        return script.act(action, connection);
      },
      showTyping(chat, state) {
        shown.push({ chat, state });
        return script.showTyping(chat, state);
      },
      lookUp(numbers) {
        lookedUp.push(numbers);
        return script.lookUp(numbers);
      },
      setBlocked(person, isBlocked) {
        blocks.push({ person, isBlocked });
        return script.setBlocked(person, isBlocked);
      },
      manageGroup(request) {
        askedOfGroups.push(request);
        return script.manageGroup(request);
      },
      openFile: (reference) => script.openFile(reference, connection),
      async close() {
        if (connection.state === 'open') connection.state = 'closed';
        await script.close(connection);
      },
      async logout() {
        await script.logout(connection);
        connection.state = 'logged out';
      },
    };
  };

  return {
    script,
    connections,
    network: 'sandbox',
    title: 'Scripted network',
    linking: ['qr', 'pairing_code'],
    capabilities: ['text', 'groups'],
    acceptsProxy: true,
    attach() {},
    newMessageId: () => `NET${(ids += 1)}`,
    open: async (session, listener, options) => open(session, listener, options?.proxyUrl ?? null),
    unlink: (session, options) => script.unlink(session, options),
    last() {
      const last = connections.at(-1);
      if (!last) throw new Error('No connection was opened.');
      return last;
    },
    sent: () => all,
    acted: () => acted,
    shown: () => shown,
    lookedUp: () => lookedUp,
    blocks: () => blocks,
    askedOfGroups: () => askedOfGroups,
  };
}

/** The texts of messages; null for a message of another type. */
export function texts(messages: readonly OutgoingMessage[]): readonly (string | null)[] {
  return messages.map(({ content }) => (content.type === 'text' ? content.text : null));
}

export function silence(): Promise<never> {
  return new Promise(() => {});
}
