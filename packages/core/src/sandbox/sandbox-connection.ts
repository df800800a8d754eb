import { base64url, fromBase64url, hex } from '../domain/base-encoding.ts';
import type { GroupReport } from '../domain/instance/group.ts';
import { flawInCredential, PASSKEY_REQUIRED } from '../domain/instance/passkey.ts';
import type {
  PasskeyAnswer,
  PasskeyCredential,
  PasskeyRequestOptions,
  PasskeyStep,
} from '../domain/instance/passkey.ts';
import type {
  ClosedReason,
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  IncomingContent,
  LinkedProfile,
  OutgoingAction,
  OutgoingContent,
  OutgoingMessage,
  SendOutcome,
  Session,
} from '../ports/gateway.ts';
import { groupsOf, rememberTyping } from './network-account.ts';
import type { NetworkAccount } from './network-account.ts';
import { activityOf } from './network-activity.ts';
import type {
  AcceptedFile,
  InboundMessage,
  NetworkActivity,
  NetworkRecord,
  WrittenMessage,
} from './network-record.ts';
import { personOf } from './person.ts';
import { recipientRule } from './recipient-rules.ts';
import type { RecipientRule } from './recipient-rules.ts';
import { sandboxFiles } from './sandbox-files.ts';
import { manageGroup } from './sandbox-groups.ts';
import type { SandboxGroup } from './sandbox-groups.ts';

/** How long the sandbox network takes for one step. */
const STEP_MS = 25;
/** The wait before reports that the service did not take are repeated. */
const REPORT_AGAIN_MS = 1_000;
/** The longest time for which one timer is set; a longer wait sets another. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
/** How long each QR is shown; after the last, the network gives up, as WhatsApp does. */
const QR_LIFETIMES_MS = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000];
const PAIRING_CODE_LENGTH = 8;
const PAIRING_CODE_LETTERS = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
/** How long the network waits for each step of a passkey, as WhatsApp does. */
const PASSKEY_STEP_MS = 600_000;
/** The domain of the sandbox's passkeys, which browsers use on pages of a server on the same machine. */
const PASSKEY_DOMAIN = 'localhost';
/** The flags of `authenticatorData`: the person is present, and was verified (WebAuthn, section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

/** The session value that proves that the instance was linked. */
const DEVICE = 'device';

interface ConnectionOptions {
  readonly context: GatewayContext;
  readonly account: NetworkAccount;
  readonly session: Session;
  readonly listener: GatewayListener;
  /** Whether a pairing shows a code to type in addition to its QR. */
  readonly showsCode: boolean;
  /** The number of the credentials; null if a phone links the instance. */
  readonly given: LinkedProfile | null;
  readonly record: (happening: NetworkRecord) => void;
  readonly onClosed: () => void;
}

export interface SandboxConnection extends GatewayConnection {
  isOpen(): boolean;
  isPairing(): boolean;
  /** Asks for the passkey of the account whose phone has scanned the QR, and links the phone by `finish` afterwards. */
  askForPasskey(asksCode: boolean, finish: () => Promise<void>): Promise<void>;
  /** Signs the current request, as a browser would with the passkey; null if none is open. */
  signPasskey(): PasskeyCredential | null;
  /** Links the number of the phone that has scanned the QR, or of the credentials, and opens the connection. */
  pair(profile: LinkedProfile): Promise<void>;
  report(group: GroupReport): Promise<void>;
  reportAll(): Promise<void>;
  /** Ends the connection from the network's side. */
  end(reason: ClosedReason): Promise<void>;
  /** Delivers the reports that are owed to the service. */
  deliver(): void;
}

export function openConnection(options: ConnectionOptions): SandboxConnection {
  const { context, account, session, listener, record, showsCode, given } = options;
  const { clock, logger } = context;
  const { instanceId } = session;
  /** Functions that end a wait early. */
  const waits = new Set<() => void>();
  /**
   * False if the network has forgotten the number, as after a restart without a journal, because it then may not know
   * all groups of the number.
   */
  let knowsAllGroups = account.profile !== undefined;
  let state: 'connecting' | 'pairing' | 'open' | 'closed' = 'connecting';
  let delivering = false;
  let passkey: PasskeyCeremony | null = null;
  /**
   * Messages with a file that were offered to the service and are not taken yet. Other messages do not wait for them.
   */
  const offered = new Set<string>();

  /** Waits, but ends early when the connection closes: callers must check `state` afterwards. */
  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel();
        waits.delete(end);
        resolve();
      };
      const cancel = clock.setTimer(ms, end);
      waits.add(end);
    });

  const until = async (at: number | null): Promise<void> => {
    while (state !== 'closed' && (at === null || clock.now() < at))
      await after(at === null ? LONGEST_WAIT_MS : Math.min(at - clock.now(), LONGEST_WAIT_MS));
    if (state === 'closed') throw new Error('The connection to the sandbox network has closed.');
  };
  const files = sandboxFiles({ account, instanceId, record, until });

  /** Logs that a report failed; the report is repeated later. */
  const untaken = (error: unknown): void =>
    logger.debug(
      { err: error, instanceId },
      'a report of the sandbox was not stored: this connection or the next one reports it again',
    );

  const begin = async (): Promise<void> => {
    await after(STEP_MS);
    if (state !== 'connecting') return;
    if (given) return pair(given);
    const linkedBefore = (await session.load()).get(DEVICE);
    if (linkedBefore && account.profile === undefined) {
      record({ instanceId, kind: 'linked', profile: JSON.parse(new TextDecoder().decode(linkedBefore)) });
    }
    if (linkedBefore && account.profile) return opened();
    if (linkedBefore) return end({ kind: 'unlinked' });
    state = 'pairing';
    await showQrs();
  };

  const showQrs = async (): Promise<void> => {
    const pairingCode = showsCode ? newPairingCode(context.random.bytes(PAIRING_CODE_LENGTH)) : undefined;
    for (const [index, lifetime] of QR_LIFETIMES_MS.entries()) {
      const nonce = hex(context.random.bytes(16));
      await listener.qr(`sandbox:${instanceId}:${index}:${nonce}`, clock.now() + lifetime, pairingCode);
      await after(lifetime);
      if (state !== 'pairing' || passkey) return;
    }
    await end({ kind: 'qr_timeout' });
  };

  /** Moves to the next step of the passkey, and gives the linking up if the step takes too long. */
  const showStep = async (ceremony: PasskeyCeremony, step: PasskeyStep): Promise<void> => {
    ceremony.step = step;
    await listener.passkey?.(step, clock.now() + PASSKEY_STEP_MS);
    void after(PASSKEY_STEP_MS).then(async () => {
      if (state === 'pairing' && passkey?.step === step)
        await end({ kind: 'failed', code: PASSKEY_REQUIRED });
    });
  };

  const askForPasskey: SandboxConnection['askForPasskey'] = async (asksCode, finish) => {
    const options = {
      challenge: base64url(context.random.bytes(32)),
      rpId: PASSKEY_DOMAIN,
      timeout: PASSKEY_STEP_MS,
      userVerification: 'required',
      allowCredentials: [],
    };
    const step: PasskeyStep = { kind: 'assertion', options, page: `http://${PASSKEY_DOMAIN}/` };
    passkey = { asksCode, finish, step };
    await showStep(passkey, step);
  };

  const answerPasskey = async (answer: PasskeyAnswer): Promise<void> => {
    await after(STEP_MS);
    const ceremony = passkey;
    if (state !== 'pairing' || ceremony?.step.kind !== answer.kind)
      throw new Error('The sandbox does not wait for this step of a passkey.');
    if (answer.kind === 'assertion' && ceremony.step.kind === 'assertion') {
      checkCredential(answer.credential, ceremony.step.options);
      if (ceremony.asksCode) {
        const letters = newPairingCode(context.random.bytes(PAIRING_CODE_LENGTH));
        const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
        return showStep(ceremony, { kind: 'confirmation', code });
      }
    }
    await showStep(ceremony, { kind: 'phone' });
    void after(STEP_MS).then(ceremony.finish).catch(untaken);
  };

  const opened = async (): Promise<void> => {
    if (!account.profile || state === 'closed') return;
    state = 'open';
    await listener.connected(account.profile);
    await reportAll();
    deliver();
  };

  const reportAll = (): Promise<void> =>
    listener.groups([...groupsOf(account).values()], { full: knowsAllGroups });

  const pair = async (profile: LinkedProfile): Promise<void> => {
    await session.save(new Map([[DEVICE, new TextEncoder().encode(JSON.stringify(profile))]]));
    record({ instanceId, kind: 'linked', profile });
    knowsAllGroups = true;
    passkey = null;
    // A number that was linked here before keeps its groups.
    const isNew = groupsOf(account).size === 0;
    const { phoneNumber } = profile;
    if (isNew)
      for (const group of firstGroups(phoneNumber)) record({ instanceId, kind: 'group', phoneNumber, group });
    await opened();
  };

  const deliver = (): void => {
    if (delivering || state !== 'open') return;
    delivering = true;
    void deliverAll();
  };

  const deliverAll = async (): Promise<void> => {
    while (state === 'open' && hasNext()) {
      await after(STEP_MS);
      await deliverOwed().catch(async (error: unknown) => {
        untaken(error);
        await after(REPORT_AGAIN_MS);
      });
    }
    delivering = false;
  };

  const hasNext = (): boolean =>
    account.owedReceipts.size > 0 || nextMessages().length > 0 || nextActivities().length > 0;
  const nextMessages = (): readonly InboundMessage[] =>
    [...account.inbox.values()].filter(({ networkId }) => !offered.has(networkId));
  /** Leaves out an act on a message until the message is taken. */
  const nextActivities = (): readonly NetworkActivity[] =>
    [...account.activities.values()].filter(
      (activity) => !offered.has(activity.networkId) && !('about' in activity && offered.has(activity.about)),
    );

  const deliverOwed = async (): Promise<void> => {
    for (const [networkId, [status]] of account.owedReceipts) {
      if (state !== 'open' || status === undefined) return;
      await listener.receipt({ networkId, status });
      // Skip if another connection has reported this status already: the next status is owed.
      if (account.owedReceipts.get(networkId)?.[0] === status)
        record({ instanceId, kind: 'receipt_taken', networkId });
    }
    for (const message of nextMessages()) {
      if (state !== 'open') return;
      if (message.file) void offerFile(message.networkId, () => reportMessage(message));
      else await reportMessage(message);
    }
    for (const activity of nextActivities()) {
      if (state !== 'open') return;
      const hasFile = activity.kind === 'echo' && activity.file !== null;
      if (hasFile) void offerFile(activity.networkId, () => reportActivity(activity));
      else await reportActivity(activity);
    }
  };

  const offerFile = async (networkId: string, report: () => Promise<void>): Promise<void> => {
    offered.add(networkId);
    try {
      await report();
    } catch (error) {
      untaken(error);
      await after(REPORT_AGAIN_MS);
    }
    offered.delete(networkId);
    deliver();
  };

  const contentOf = ({ networkId, text, file }: WrittenMessage): IncomingContent => {
    if (!file) return { type: 'text', text };
    const caption = text === '' ? null : text;
    return { type: file.type, caption, file: files.incoming(networkId, file) };
  };

  const reportActivity = async (activity: NetworkActivity): Promise<void> => {
    const { networkId, kind } = activity;
    await listener.activity?.(activityOf(activity, contentOf));
    if (kind === 'media_update') files.messageTaken(networkId, activity.file);
    if (kind === 'echo') {
      if (activity.file) files.messageTaken(networkId, activity.file);
      const rule = recipientRule(
        activity.groupNetworkId ?? activity.to ?? '',
        activity.groupNetworkId !== null,
      );
      const receipts = typeof rule === 'string' ? [] : rule.receipts;
      for (const status of receipts) await listener.receipt({ networkId, status });
    }
    record({ instanceId, kind: 'activity_taken', networkId });
  };

  const reportMessage = async (message: InboundMessage): Promise<void> => {
    const { networkId, from, sender, groupNetworkId, file, detail, sentAt, replyTo = null } = message;
    const contact = personOf(from, sender);
    await listener.message({
      networkId,
      senderId: contact.networkId,
      from,
      groupNetworkId,
      contact,
      sentAt,
      replyTo,
      ...(detail && { detail }),
      content: contentOf(message),
    });
    if (file) files.messageTaken(networkId, file);
    record({ instanceId, kind: 'inbound_taken', networkId });
  };

  const send = async (message: OutgoingMessage): Promise<SendOutcome> => {
    const { networkId, to, contactNetworkId = null, isGroup, replyTo = null, content } = message;
    const { detail, mentions } = message;
    await after(STEP_MS);
    if (state !== 'open') return { kind: 'unknown', reason: 'the connection closed' };
    if (isRepeat(account.accepted.get(networkId))) return { kind: 'accepted' };
    const person = to === '' ? (contactNetworkId ?? '') : to;
    if (account.blocked.has(person)) return BLOCKED;
    const rule = recipientRule(person, isGroup);
    if (typeof rule === 'string') return OUTCOMES[rule];
    const { text, file } = await take(content);
    record({
      instanceId,
      kind: 'accepted',
      networkId,
      to,
      text,
      file,
      ...(contactNetworkId !== null && { contactNetworkId }),
      ...(replyTo && { replyTo: replyTo.networkId }),
      ...(detail && { detail }),
      ...(mentions && { mentions }),
      receipts: rule.receipts,
    });
    if (rule.replies) {
      const words = text === '' && file ? file.filename : text;
      const reply = {
        networkId: `${networkId}-reply`,
        from: to === '' ? null : to,
        ...(contactNetworkId !== null && { sender: { networkId: contactNetworkId } }),
        groupNetworkId: null,
        text: words,
        file: null,
        sentAt: clock.now(),
        replyTo: networkId,
      };
      record({ instanceId, kind: 'inbound', message: reply });
    }
    deliver();
    return { kind: 'accepted' };
  };

  const act = async (action: OutgoingAction): Promise<SendOutcome> => {
    const { networkId, contactNetworkId, isGroup, about, deed } = action;
    const to = action.to === '' ? (contactNetworkId ?? '') : action.to;
    await after(STEP_MS);
    if (state !== 'open') return { kind: 'unknown', reason: 'the connection closed' };
    if (isRepeat(account.acted.get(networkId))) return { kind: 'accepted' };
    const rule = recipientRule(to, isGroup);
    if (typeof rule === 'string') return OUTCOMES[rule];
    const on = { about: about.networkId, author: about.senderId };
    record({ instanceId, kind: 'acted', networkId, to, ...on, deed });
    return { kind: 'accepted' };
  };

  const showTyping: GatewayConnection['showTyping'] = async (chat, typing) => {
    await after(STEP_MS);
    if (state !== 'open') throw new Error('The connection to the sandbox network has closed.');
    rememberTyping(account, { to: chat.to === '' ? (chat.contactNetworkId ?? '') : chat.to, state: typing });
  };

  const setBlocked: GatewayConnection['setBlocked'] = async ({ to, contactNetworkId }, isBlocked) => {
    await after(STEP_MS);
    if (state !== 'open') throw new Error('The connection to the sandbox network has closed.');
    const person = to === '' ? (contactNetworkId ?? '') : to;
    if (account.blocked.has(person) !== isBlocked) record({ instanceId, kind: 'block', person, isBlocked });
  };

  /** Every number is on the network, except those that it refuses to send to. */
  const lookUp: GatewayConnection['lookUp'] = async (numbers) => {
    await after(STEP_MS);
    if (state !== 'open') throw new Error('The connection to the sandbox network has closed.');
    return numbers.map((number) => {
      const isOnNetwork = recipientRule(number, false) !== 'refuse';
      return { number, isOnNetwork, registeredNumber: isOnNetwork ? number : null };
    });
  };

  const newName = (prefix: string): string => `${prefix}${hex(context.random.bytes(8))}`;

  const manage: GatewayConnection['manageGroup'] = async (request) => {
    await after(STEP_MS);
    const phoneNumber = account.profile?.phoneNumber;
    if (state !== 'open' || phoneNumber === undefined)
      return { kind: 'not_done', reason: 'The connection to the sandbox network has closed.' };
    const groups = groupsOf(account);
    return manageGroup(
      {
        phoneNumber,
        find: (networkId) => groups.get(networkId),
        findByCode: (code) =>
          [...groups.values(), ...account.leftGroups.values()].find(({ inviteCode }) => inviteCode === code),
        save: (group) => record({ instanceId, kind: 'group', phoneNumber, group }),
        leave: (networkId) => record({ instanceId, kind: 'group_left', phoneNumber, networkId }),
        newName,
      },
      request,
    );
  };

  const close = (): void => {
    state = 'closed';
    for (const end of waits) end();
    options.onClosed();
  };

  const end = async (reason: ClosedReason): Promise<void> => {
    close();
    await listener.closed(reason);
  };

  begin().catch(untaken);
  return {
    send,
    act,
    showTyping,
    lookUp,
    setBlocked,
    manageGroup: manage,
    openFile: files.openFile,
    answerPasskey,
    async close() {
      close();
    },
    async logout() {
      record({ instanceId, kind: 'unlinked' });
      close();
    },
    isOpen: () => state === 'open',
    isPairing: () => state === 'pairing' && !passkey,
    askForPasskey,
    signPasskey: () => (passkey?.step.kind === 'assertion' ? signedCredential(passkey.step.options) : null),
    pair,
    report: (group) => listener.groups([group]),
    reportAll,
    end,
    deliver,
  };
}

/** The outcomes of sends to people whom the network does not let through. */
const OUTCOMES: Readonly<Record<Extract<RecipientRule, string>, SendOutcome>> = {
  refuse: {
    kind: 'refused',
    error: { code: 'recipient_refused', message: 'The network refused the recipient.' },
  },
  no_response: { kind: 'unknown', reason: 'the network did not respond' },
};

const BLOCKED: SendOutcome = {
  kind: 'refused',
  error: { code: 'recipient_blocked', message: 'The number has blocked the recipient.' },
};

/** Counts a send under an id that the network has accepted before. */
function isRepeat(accepted: { repeats: number } | undefined): boolean {
  if (accepted) accepted.repeats += 1;
  return accepted !== undefined;
}

interface PasskeyCeremony {
  /** Whether a person has to confirm a code after the passkey. */
  readonly asksCode: boolean;
  readonly finish: () => Promise<void>;
  step: PasskeyStep;
}

/** Checks an answer as a network does, but not its signature: no account of the sandbox has a key. */
function checkCredential(credential: PasskeyCredential, options: PasskeyRequestOptions): void {
  const flaw = flawInCredential(credential, options);
  if (flaw !== null) throw new Error(flaw);
  const flags = fromBase64url(credential.response.authenticatorData)[32] ?? 0;
  if ((flags & USER_VERIFIED) === 0)
    throw new Error('The browser did not verify the person, such as by a fingerprint or a PIN.');
}

function signedCredential({ challenge }: PasskeyRequestOptions): PasskeyCredential {
  const utf8 = new TextEncoder();
  const id = base64url(utf8.encode('sandbox passkey'));
  const origin = `http://${PASSKEY_DOMAIN}`;
  const clientData = JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false });
  // The hash of the domain, the flags and a counter.
  const authenticatorData = new Uint8Array(37);
  authenticatorData[32] = USER_PRESENT | USER_VERIFIED;
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: base64url(utf8.encode(clientData)),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(new Uint8Array(64)),
      userHandle: null,
    },
  };
}

/** The groups of a newly linked number: the same ids for the same number, even after a restart without a journal. */
function firstGroups(phoneNumber: string): readonly SandboxGroup[] {
  return FIRST_GROUPS.map(([name, participantsCount]) => ({
    networkId: `group-${phoneNumber}-${name.toLowerCase()}`,
    name,
    participantsCount,
  }));
}

/** The names of the groups, each with its number of participants. */
const FIRST_GROUPS = [
  ['Family', 5],
  ['Team', 12],
] as const;

/** A code like WhatsApp's, without 0, I, O and U, so that it is easy to read out. */
function newPairingCode(random: Uint8Array): string {
  return Array.from(random, (byte) => PAIRING_CODE_LETTERS[byte % PAIRING_CODE_LETTERS.length]).join('');
}

/** Accepts a message from the service. Reads a file to its end, as a network would to pass it on. */
async function take(content: OutgoingContent): Promise<{ text: string; file: AcceptedFile | null }> {
  if (!('file' in content)) return { text: content.text, file: null };
  const { mimeType, filename, open } = content.file;
  let size = 0;
  for await (const chunk of await open()) size += chunk.byteLength;
  const voice = content.voice === true && ({ voice: true } as const);
  return { text: content.caption ?? '', file: { type: content.type, mimeType, filename, size, ...voice } };
}
