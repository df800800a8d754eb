import { LARGEST_MEDIA_SIZE, requestedMediaType, unwrap } from '@trunkline/core/spi/http';
import type { SendMediaInput, SendOptions, SendResult, Upload, WorkspaceApi } from '@trunkline/core';
import { readForm } from './form-body.ts';

/** The largest file plus room for the rest of a form, in bytes. */
const FORM_MAX = LARGEST_MEDIA_SIZE + 1_048_576;

/**
 * Sends the message that a form contains. The file is stored as it streams in, and may come before other fields. If
 * `readmit` rejects, nothing is sent and the file is discarded.
 */
export async function sendForm(
  api: WorkspaceApi,
  request: Request,
  { readmit, ...options }: SendOptions & { readonly readmit: () => Promise<void> },
): Promise<SendResult> {
  let filename = '';
  const form = unwrap(
    await readForm<Upload>(request, {
      maxBytes: FORM_MAX,
      takeFile: (file, fields) => {
        filename = file.filename;
        return api.messages.upload(file.content, {
          type: requestedMediaType(fields) ?? undefined,
          filename,
          ...(file.mimeType !== null && { mimeType: file.mimeType }),
        });
      },
      dropFile: (upload) => upload.discard(),
    }),
  );
  // An upload may take minutes, and the key may have been revoked in the meantime.
  await readmit().catch(async (error: unknown) => {
    await form.file?.discard();
    throw error;
  });
  const named = filename === '' ? {} : { filename };
  const input = { ...named, ...form.fields, file: form.file };
  return api.messages.send(input as unknown as SendMediaInput, options); // checked by the operation
}
