// The smallest service with the same libraries: it answers as soon as they are loaded.
import 'better-sqlite3';
import 'sharp';
import { fastify } from 'fastify';

const app = fastify();
app.get('/health', async () => ({ status: 'ok' }));
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
