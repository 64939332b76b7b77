/** The command: settings from the environment, one line when it listens, a clean end on SIGTERM. */
import { start } from './server.ts'

const { PORT, HOST, TESSERA_ISSUER, CLIENT_ID, REDIRECT_URI, API_URL, DATABASE } = process.env

const { url, close } = await start({
  port: Number(PORT ?? 4001),
  host: HOST ?? 'localhost',
  issuer: TESSERA_ISSUER ?? 'http://localhost:4000',
  clientId: CLIENT_ID ?? 'submissions-web',
  redirectUri: REDIRECT_URI,
  apiUrl: API_URL ?? 'http://localhost:4002',
  database: DATABASE ?? 'data/submissions-web.sqlite',
})
console.log(`submissions-web listens on ${url}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close())
