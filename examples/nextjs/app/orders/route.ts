import { trunkline } from '@/trunkline';

/** Sends a message in process, without a key. */
export async function POST(request: Request) {
  const { instance, phone } = await request.json();
  const { admin, workspace } = await trunkline();
  const [first] = await admin.workspaces.list();
  const { messages } = workspace(first?.id ?? '');
  const text = 'Your order is on its way.';
  const { message } = await messages.send({ instance, to: phone, type: 'text', text });
  return Response.json(message);
}
