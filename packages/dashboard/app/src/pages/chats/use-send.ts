import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  MessageResource,
  SendContactInput,
  SendFileInput,
  SendLocationInput,
  SendPollInput,
  SendStickerFileInput,
  SendTextInput,
} from '@trunkline/http/client';
import { isClientError, unwrap } from '@trunkline/http/client';
import { useRef } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';

export type Outgoing =
  SendTextInput | SendFileInput | SendLocationInput | SendContactInput | SendPollInput | SendStickerFileInput;

interface Sending {
  send(message: Outgoing): void;
  readonly isSending: boolean;
  readonly error: unknown;
  /** Whether there was no response: the message may have been accepted. */
  readonly isDoubtful: boolean;
}

/** Sends one message at a time, and each only once: retries of an unchanged message use the same idempotency key. */
export function useSend(
  workspaceId: string,
  onSent: (message: MessageResource, sent: Outgoing) => void,
): Sending {
  const queries = useQueryClient();
  const tried = useRef<{ readonly message: string; readonly file: Blob | null; readonly key: string } | null>(
    null,
  );
  const isBusy = useRef(false);
  const mutation = useMutation({
    // Fail immediately without a network. By default, the message would be sent later, when the user no longer expects
    // it.
    networkMode: 'always',
    mutationFn: async (message: Outgoing) => {
      const idempotencyKey = keyFor(message);
      return unwrap(await clientOf(workspaceId).messages.send(message, { idempotencyKey })).data;
    },
    onSuccess() {
      tried.current = null;
      for (const area of ['chats', 'messages'] as const)
        void queries.invalidateQueries({ queryKey: keyOf(workspaceId, area) });
    },
    onSettled() {
      isBusy.current = false;
    },
  });

  const keyFor = (given: Outgoing): string => {
    const message = JSON.stringify(given);
    const file = 'file' in given ? given.file : null;
    const last = tried.current;
    if (last?.message === message && last.file === file) return last.key;
    const key = newKey();
    tried.current = { message, file, key };
    return key;
  };

  return {
    send(message) {
      if (isBusy.current) return;
      isBusy.current = true;
      // Unlike the mutation's own `onSuccess`, this one is not called after the component has unmounted.
      mutation.mutate(message, { onSuccess: (accepted) => onSent(accepted, message) });
    },
    isSending: mutation.isPending,
    error: mutation.error,
    isDoubtful: isClientError(mutation.error) && mutation.error.code === 'NETWORK_ERROR',
  };
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
