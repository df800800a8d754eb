/**
 * Content of a message that was uploaded before its message was accepted. It is kept under an id of its own, which
 * `message_id` holds, and `owner_id` is the message; where that is null, content that belongs to a message is kept
 * under the id of the message itself.
 */
export const uploads = `
ALTER TABLE trunkline.contents ADD COLUMN is_upload boolean NOT NULL DEFAULT false, ADD COLUMN owner_id uuid;
`;
