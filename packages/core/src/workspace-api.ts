import type { MediaType } from './domain/message/media-rules.ts';
import type { WebhookEvent } from '@trunkline/receiver';
import type { EventPageQuery, EventQuery, EventStreamQuery } from './inputs/events.ts';
import type {
  ConnectInput,
  HistoryQuery,
  InstanceInput,
  LookupInput,
  NewInstanceInput,
  PasskeyAnswerInput,
  TypingInput,
} from './inputs/instances.ts';
import type {
  GroupInput,
  JoinDecisionInput,
  JoinGroupInput,
  NewGroupInput,
  ParticipantsInput,
} from './inputs/groups.ts';
import type { ChatQuery } from './inputs/chats.ts';
import type { ActionQuery, EditInput, ReactionInput, VoteQuery } from './inputs/message-actions.ts';
import type { MessageQuery, ScheduledQuery } from './inputs/messages.ts';
import type { TrafficPeriodQuery, TrafficQuery, WebhookTrafficQuery } from './inputs/traffic.ts';
import type { ChatResource } from './resources/chat.ts';
import type { MessageStandingResource } from './resources/message-standing.ts';
import type { DeliveryQuery, SecretRotation, WebhookChanges, WebhookInput } from './inputs/webhooks.ts';
import type {
  GroupDetailResource,
  GroupInviteResource,
  GroupResource,
  JoinedGroupResource,
  JoinRequestResource,
  NewGroupResource,
  ParticipantResultResource,
} from './resources/group.ts';
import type { InstanceResource, PasskeyResource, QrResource } from './resources/instance.ts';
import type { InstanceHistoryResource } from './resources/instance-history.ts';
import type { NumberLookupResource } from './resources/number-lookup.ts';
import type { NetworkResource } from './resources/network.ts';
import type { MessageActionResource } from './resources/message-action.ts';
import type { VoteResource } from './resources/vote.ts';
import type { MessageResource } from './resources/message.ts';
import type {
  DeliveryDetailResource,
  DeliveryResource,
  WebhookResource,
  WebhookResourceWithSecret,
} from './resources/webhook.ts';
import type { TrafficResource, WebhookTrafficResource } from './resources/traffic.ts';
import type { EventStream } from './services/events/streams.ts';
import type { Upload } from './services/media/uploads.ts';
import type { SendInput } from './services/message-kinds/message-kinds.ts';
import type { MediaDownload } from './services/messages/messages.ts';

/**
 * The operations of the REST API on one workspace, in process. Inputs and responses have the shapes of the
 * specification; a refusal is thrown as a `TrunklineError` with the code that REST would respond with. Every list has its
 * rows in `data`, whether it has pages or not.
 */
export interface WorkspaceApi<Transaction = never> {
  /** The messaging networks that instances can be on. */
  readonly networks: {
    /** In the order of the option `gateways`, the default one first. */
    list(): Promise<ListResult<NetworkResource>>;
  };
  /** Instances: the numbers that send and receive messages. */
  readonly instances: {
    /** Oldest first. */
    list(): Promise<ListResult<InstanceResource>>;
    /**
     * Creates an instance, which has to be connected. Throws SUBSCRIPTION_REQUIRED, INSTANCE_LIMIT_REACHED,
     * VALIDATION_FAILED.
     */
    create(input?: NewInstanceInput): Promise<InstanceResource>;
    /** One instance. Throws INSTANCE_NOT_FOUND. */
    get(id: string): Promise<InstanceResource>;
    /**
     * Changes the fields that the input has: the name, the proxy or both. A connected instance uses a new proxy only
     * when it connects again.
     */
    update(id: string, input: InstanceInput): Promise<InstanceResource>;
    /**
     * Unlinks the phone if the instance is connected, erases the session, and resolves when the instance is deleted.
     */
    delete(id: string): Promise<void>;
    /**
     * Starts to connect and resolves immediately, so poll, or wait for `instance.connected`. With a
     * `pairing_phone_number`, the response of `qr` also has a code to type on that phone.
     */
    connect(id: string, input?: ConnectInput): Promise<InstanceResource>;
    /**
     * Closes the connection and keeps the session, so that the instance connects again without a QR. Its queued
     * messages wait. Resolves when the connection is closed. Throws INSTANCE_NOT_FOUND, INSTANCE_BUSY,
     * GATEWAY_UNAVAILABLE, GATEWAY_ERROR.
     */
    disconnect(id: string): Promise<InstanceResource>;
    /**
     * Unlinks the phone, and fails the queued messages. Connecting again takes a new QR. Throws INSTANCE_NOT_FOUND,
     * INVALID_INSTANCE_STATE, INSTANCE_BUSY, GATEWAY_UNAVAILABLE, GATEWAY_ERROR.
     */
    logout(id: string): Promise<InstanceResource>;
    /** The QR to scan now. Throws INSTANCE_NOT_FOUND, and QR_NOT_AVAILABLE if no QR is shown at this moment. */
    qr(id: string): Promise<QrResource>;
    /**
     * The passkey step that the network waits for while it links a number, when `last_error` is `passkey_required`.
     * Throws INSTANCE_NOT_FOUND, PASSKEY_NOT_AVAILABLE.
     */
    passkey(id: string): Promise<PasskeyResource>;
    /**
     * Passes the browser's answer to the network, and resolves when the network has accepted it; the linking then
     * continues. Throws INSTANCE_NOT_FOUND, PASSKEY_NOT_AVAILABLE, INSTANCE_BUSY, GATEWAY_UNAVAILABLE, GATEWAY_ERROR.
     */
    answerPasskey(id: string, answer: PasskeyAnswerInput): Promise<InstanceResource>;
    /** Confirms that the phone shows the `code` of the step `confirmation`. Throws as `answerPasskey` does. */
    confirmPasskey(id: string): Promise<InstanceResource>;
    /**
     * Shows a chat that the instance is typing or recording, or no longer. Neither queued nor stored. Throws
     * INSTANCE_NOT_FOUND, INSTANCE_NOT_CONNECTED, INVALID_RECIPIENT, GROUP_NOT_FOUND, UNSUPPORTED_MESSAGE_TYPE,
     * RATE_LIMITED, GATEWAY_ERROR, GATEWAY_UNAVAILABLE.
     */
    typing(id: string, input: TypingInput): Promise<void>;
    /**
     * Whether numbers are on the network: an entry for each that you give, in this order. The network is asked about a
     * number once a day, and about 500 numbers a day. Throws INSTANCE_NOT_FOUND, VALIDATION_FAILED,
     * INSTANCE_NOT_CONNECTED, UNSUPPORTED_MESSAGE_TYPE, RATE_LIMITED, GATEWAY_ERROR, GATEWAY_UNAVAILABLE.
     */
    lookup(id: string, input: LookupInput): Promise<ListResult<NumberLookupResource>>;
    /** Ordered by name. */
    groups(id: string): Promise<ListResult<GroupResource>>;
    /**
     * Creates a group with the number as its admin, and adds people. Neither queued nor repeated: give an
     * `idempotencyKey` if you may repeat the request, so that the group is not created twice. Throws INSTANCE_NOT_FOUND,
     * VALIDATION_FAILED, and what the changes in `groups` throw.
     */
    createGroup(id: string, input: NewGroupInput, options?: ActionOptions): Promise<NewGroupResult>;
    /** Makes the number join a group by its link. Throws INSTANCE_NOT_FOUND, and what the changes in `groups` throw. */
    joinGroup(id: string, input: JoinGroupInput): Promise<JoinedGroupResource>;
    /** The chats of the instance by their last message, newest first. */
    chats(id: string, query?: ChatQuery): Promise<PageResult<ChatResource>>;
    /** The events of the instance and its messages in the last 30 days, newest first. */
    events(id: string, query?: EventQuery): Promise<PageResult<WebhookEvent>>;
    /** The history of the instance, with the reasons and the next steps, newest first. */
    history(id: string, query?: HistoryQuery): Promise<PageResult<InstanceHistoryResource>>;
  };
  /**
   * Groups: to read them as their network describes them, and to change them. Requests go to the open connection of the
   * instance and are never queued. Each throws GROUP_NOT_FOUND, INSTANCE_NOT_CONNECTED, UNSUPPORTED_MESSAGE_TYPE,
   * GROUP_CHANGE_REFUSED, RATE_LIMITED, GATEWAY_ERROR, GATEWAY_UNAVAILABLE; a change also OUTCOME_UNKNOWN, after which it
   * may have been made or not.
   */
  readonly groups: {
    /** The group with its description and its members, as the network describes them now. */
    get(id: string): Promise<GroupDetailResource>;
    /** Changes the name or the description. If only one of both can be changed, the other one stays changed. */
    update(id: string, input: GroupInput): Promise<GroupResource>;
    /** Adds or removes people, or makes them admins or no longer. A result for each that you give, in this order. */
    changeParticipants(id: string, input: ParticipantsInput): Promise<ListResult<ParticipantResultResource>>;
    /** The link by which anyone can join. */
    invite(id: string): Promise<GroupInviteResource>;
    /** Replaces the link. The previous one leads nowhere any more. */
    revokeInvite(id: string): Promise<GroupInviteResource>;
    /** The people who ask to be let in. */
    joinRequests(id: string): Promise<ListResult<JoinRequestResource>>;
    /** Lets people in who ask for it, or turns them away. A result for each that you give, in this order. */
    decideJoinRequests(id: string, input: JoinDecisionInput): Promise<ListResult<ParticipantResultResource>>;
    /** Makes the number leave the group. */
    leave(id: string): Promise<void>;
  };
  /** Messages: to send, list and read them. */
  readonly messages: {
    /**
     * Newest first. A page may have fewer messages than its limit, or none, and still have a `nextCursor`, because a
     * list that filters by origin (as by default), or by `counterpart` and any field other than the instance, stops
     * after 2,000 messages, and a search (`q`) after 20 groups of 500 messages that may match. A search finds a message
     * about a second after it came.
     */
    list(query?: MessageQuery): Promise<PageResult<MessageResource>>;
    /**
     * Resolves once the message is on disk or, with a `transaction`, once it is part of the transaction. `replayed` is
     * true if the idempotency key was used for the same request before.
     */
    send(input: SendInput, options?: SendOptions<Transaction>): Promise<SendResult>;
    /**
     * Stores a file before the rest of its message is known, for example because it comes first in a form. Pass the
     * result to `send` as `file`, or discard it. With a `type`, the limit and the file types of that type apply from
     * the start. If the bytes of a document do not identify its format, its type is `mimeType` or, by default, that of
     * the extension of `filename`.
     */
    upload(
      content: ReadableStream<Uint8Array>,
      options?: {
        /** The type of the message that the file is for. By default, only the largest limit applies. */
        readonly type?: MediaType | undefined;
        /** The type that the sender declares. */
        readonly mimeType?: string | undefined;
        /** The file name that the sender gives. */
        readonly filename?: string | undefined;
      },
    ): Promise<Upload>;
    /** The file of a message. Throws MEDIA_NOT_AVAILABLE if it is not available. */
    media(id: string): Promise<MediaDownload>;
    /** One message. Throws MESSAGE_NOT_FOUND. */
    get(id: string): Promise<MessageResource>;
    /** The messages that wait for their `send_at`, the next one first. */
    scheduled(query?: ScheduledQuery): Promise<PageResult<MessageResource>>;
    /**
     * Cancels a message that waits for its `send_at`, for certain: its status becomes `failed` with the error
     * `cancelled`. Throws MESSAGE_NOT_FOUND, and INVALID_MESSAGE_STATE if the message is due.
     */
    cancel(id: string): Promise<MessageResource>;
    /** The progress of the message and its reason, as a code and as a sentence for a person. */
    standing(id: string): Promise<MessageStandingResource>;
    /** The events of the message in the last 30 days, newest first. */
    events(id: string, query?: EventPageQuery): Promise<PageResult<WebhookEvent>>;
    /**
     * Reacts to a message with one emoji, which replaces the reaction before. Resolves once the action is on disk: it is
     * carried out in its turn in the chat, behind the messages that were queued before it, and behind the message itself.
     * Throws MESSAGE_NOT_FOUND, INVALID_MESSAGE_STATE, UNSUPPORTED_MESSAGE_TYPE, VALIDATION_FAILED, and what `send`
     * throws for the instance, the plan and the backlog.
     */
    react(id: string, input: ReactionInput, options?: ActionOptions): Promise<ActionResult>;
    /** Takes the reaction of the instance back, in the same way. */
    removeReaction(id: string, options?: ActionOptions): Promise<ActionResult>;
    /**
     * Edits the text of a message of the instance, or the caption of its file. A message that is sent is edited in its
     * turn in the chat, as with a reaction, and shows the new text once the network has accepted the edit. A message that
     * waits for its `send_at`, or behind others to its chat, is changed immediately: the action is then `sent`, and the
     * recipient sees no edit. Throws as `react` does; INVALID_MESSAGE_STATE also for a message of somebody else, and
     * after the time that the network allows.
     */
    edit(id: string, input: EditInput, options?: ActionOptions): Promise<ActionResult>;
    /**
     * Deletes a message of the instance for everyone in its chat, in its turn there, as with a reaction. Once the network
     * has accepted the deletion, the message has a `deleted_at`, and no text and no file any more. Throws as `edit` does.
     * A message that waits for its `send_at` is cancelled instead (`cancel`).
     */
    deleteForEveryone(id: string, options?: ActionOptions): Promise<ActionResult>;
    /**
     * Marks a received message as read on the network, with the unread messages before it in its chat (at most 200 of
     * them), in its turn there, as with a reaction. Once the network has accepted the mark, these messages have a
     * `read_at`. Throws INVALID_MESSAGE_STATE for a message that the instance sent.
     */
    markRead(id: string, options?: ActionOptions): Promise<ActionResult>;
    /** The actions of the instance on the message, with their outcomes, newest first. */
    actions(id: string, query?: ActionQuery): Promise<PageResult<MessageActionResource>>;
    /**
     * The present votes in a poll, the newest first: one for each person who has voted, also of those who took their vote
     * back. None for a message that is not a poll. Throws MESSAGE_NOT_FOUND.
     */
    votes(id: string, query?: VoteQuery): Promise<PageResult<VoteResource>>;
  };
  /** The people in the messages of an instance (`contact`). Each instance has contacts of its own. */
  readonly contacts: {
    /**
     * Blocks a contact for its instance: the network then keeps that person's messages and calls from the number. Neither
     * queued nor stored. Throws CONTACT_NOT_FOUND, INSTANCE_NOT_FOUND, INSTANCE_NOT_CONNECTED, UNSUPPORTED_MESSAGE_TYPE,
     * RATE_LIMITED, GATEWAY_ERROR, GATEWAY_UNAVAILABLE.
     */
    block(id: string): Promise<void>;
    /** Ends a block, whether there is one or not. Throws as `block` does. */
    unblock(id: string): Promise<void>;
  };
  /** Webhook endpoints: the URLs that events are sent to. */
  readonly webhooks: {
    /** Newest first. */
    list(): Promise<WebhookList>;
    /** Only this response shows the secret. */
    create(input: WebhookInput): Promise<WebhookResourceWithSecret>;
    /** One endpoint. Throws WEBHOOK_NOT_FOUND. */
    get(id: string): Promise<WebhookResource>;
    /**
     * Changes the given fields. Throws WEBHOOK_NOT_FOUND, WEBHOOK_LIMIT_REACHED (if this enables it),
     * INVALID_WEBHOOK_URL, VALIDATION_FAILED.
     */
    update(id: string, changes: WebhookChanges): Promise<WebhookResource>;
    /** Deletes an endpoint and ends its open deliveries. Their log is kept. Throws WEBHOOK_NOT_FOUND. */
    delete(id: string): Promise<void>;
    /**
     * Makes a new secret, which signs immediately, or after `after_seconds`. The previous one signs until then. Throws
     * WEBHOOK_NOT_FOUND, VALIDATION_FAILED.
     */
    rotateSecret(id: string, input?: SecretRotation): Promise<WebhookResourceWithSecret>;
    /** Queues a `webhook.test` event. */
    test(id: string): Promise<DeliveryResource>;
    /** The deliveries to an endpoint, newest first. Throws WEBHOOK_NOT_FOUND, VALIDATION_FAILED. */
    deliveries(id: string, query?: DeliveryQuery): Promise<PageResult<DeliveryResource>>;
    /**
     * Queues up to 100 failed or exhausted deliveries again; repeat while `remaining` (counted to 1,000) is above 0.
     */
    retryFailedDeliveries(id: string): Promise<{
      /** How many deliveries this call has queued again. */
      readonly requeued: number;
      /** How many are left for the next calls. */
      readonly remaining: number;
    }>;
    /** Counts the attempts of an endpoint over time. Throws WEBHOOK_NOT_FOUND, VALIDATION_FAILED. */
    traffic(id: string, query?: TrafficPeriodQuery): Promise<WebhookTrafficResource>;
  };
  /**
   * Counts of the last 30 days, by quarters of an hour in UTC. A process writes its counts every 10 seconds and when it
   * stops, so a process that is killed loses at most 10 seconds of them.
   */
  readonly traffic: {
    /**
     * Counts the messages of the whole workspace, or of each of up to 100 instances, in the order of the query.
     * Throws INSTANCE_NOT_FOUND, VALIDATION_FAILED.
     */
    messages(query?: TrafficQuery): Promise<ListResult<TrafficResource>>;
    /**
     * Counts the attempts of up to 100 webhooks, in the order of the query, or newest first. Throws WEBHOOK_NOT_FOUND,
     * VALIDATION_FAILED.
     */
    webhooks(query?: WebhookTrafficQuery): Promise<ListResult<WebhookTrafficResource>>;
  };
  /** Deliveries: events on their way to an endpoint. */
  readonly deliveries: {
    /** One delivery, with its request and its attempts. Throws WEBHOOK_DELIVERY_NOT_FOUND. */
    get(id: string): Promise<DeliveryDetailResource>;
    /**
     * Queues one more attempt of a failed or exhausted delivery. Throws WEBHOOK_DELIVERY_NOT_FOUND,
     * WEBHOOK_RETRY_NOT_ALLOWED.
     */
    retry(id: string): Promise<DeliveryResource>;
    /**
     * Makes the next attempt of a `retrying` delivery now. If it fails, the retry schedule continues from there. Throws
     * WEBHOOK_DELIVERY_NOT_FOUND, WEBHOOK_RETRY_NOT_ALLOWED.
     */
    tryNow(id: string): Promise<DeliveryResource>;
  };
  /** Events of the workspace. */
  readonly events: {
    /** An event of the last 30 days, as webhooks report it. Events without subscribers are found too. */
    get(id: string): Promise<WebhookEvent>;
    /** The deliveries of an event, oldest first. */
    deliveries(id: string): Promise<ListResult<DeliveryResource>>;
    /**
     * The events of the workspace as they happen: those that `'*'` selects, or the `types` that you name. With a
     * `last_event_id`, the stream begins after that event, and repeats events of up to a minute before it, so skip ids
     * that you know.
     */
    stream(query?: EventStreamQuery, options?: StreamOptions): Promise<EventStream>;
  };
}

/** The options of a stream of events. */
export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** How a message is sent. */
export interface SendOptions<Transaction = never> {
  /** 1 to 255 printable ASCII characters without spaces, remembered for 24 hours. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Your own transaction on the same database, in the form that the storage accepts. The message is accepted when you
   * commit; if you roll back, it never existed. A refusal leaves nothing in the transaction. A file has to be uploaded
   * before the transaction begins.
   */
  readonly transaction?: Transaction | undefined;
  /**
   * The `traceparent` of the request that causes this message (W3C Trace Context). By default, the active span of
   * OpenTelemetry's API. An invalid value is ignored.
   */
  readonly traceparent?: string | undefined;
}

/** The message that was queued, or that an earlier call with the same idempotency key has queued. */
export interface SendResult {
  /** The message as it is now. */
  readonly message: MessageResource;
  /** Whether the idempotency key was used before for the same request, so that nothing was queued. */
  readonly replayed: boolean;
}

/** How an action on a message is queued. */
export interface ActionOptions {
  /** The same rules apply as for a message. An action and a message may use the same key. */
  readonly idempotencyKey?: string | undefined;
}

/** The action that was queued, or that an earlier call with the same idempotency key has queued. */
export interface ActionResult {
  /** The action as it is now. */
  readonly action: MessageActionResource;
  /** Whether the idempotency key was used before for the same request, so that nothing was queued. */
  readonly replayed: boolean;
}

/** The group that was created, or that an earlier call with the same idempotency key has created. */
export interface NewGroupResult {
  /** The group as it is now, with the outcome for each participant. */
  readonly group: NewGroupResource;
  /** Whether the idempotency key was used before for the same request, so that nothing was created. */
  readonly replayed: boolean;
}

/** A list. */
export interface ListResult<Resource> {
  /** The rows. */
  readonly data: readonly Resource[];
}

/** A page of a list. */
export interface PageResult<Resource> extends ListResult<Resource> {
  /** The maximum number of rows in a page. */
  readonly perPage: number;
  /** The cursor of the next page, of older rows; null on the last page. */
  readonly nextCursor: string | null;
  /** The cursor of the previous page, of newer rows; null on the first page. */
  readonly prevCursor: string | null;
}

/** The webhook endpoints of a workspace. */
export interface WebhookList extends ListResult<WebhookResource> {
  /** Whether an enabled endpoint has delivered successfully. */
  readonly configured: boolean;
}
