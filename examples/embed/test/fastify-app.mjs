// Loads the plugins, listens, and closes the app at SIGTERM, like `npm start` in an app of `npm create fastify`.
import Fastify from 'fastify';
import messaging from '../src/fastify-plugin.mjs';

const app = Fastify({ logger: true });
await app.register(messaging);
app.get('/workspaces', () => app.trunkline.admin.workspaces.list());
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
console.log(app.server.address());
process.once('SIGTERM', () => void app.close());
