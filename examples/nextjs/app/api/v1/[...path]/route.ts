import { messaging } from '../../../../lib/messaging';

const handle = async (request: Request) => (await messaging()).api.fetch(request);
export { handle as DELETE, handle as GET, handle as HEAD, handle as PATCH, handle as POST };
