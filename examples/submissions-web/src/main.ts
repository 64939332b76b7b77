/** The command: settings from the environment, one line when it listens, a clean end on SIGTERM. */
import type { Names } from './profiles.ts'
import { start } from './server.ts'

const { PORT, HOST, TESSERA_ISSUER, CLIENT_ID, REDIRECT_URI, API_URL, NAMES, DATABASE } = process.env

try {
  const { url, close } = await start({
    port: Number(PORT ?? 4001),
    host: HOST ?? 'localhost',
    issuer: TESSERA_ISSUER ?? 'http://localhost:4000',
    clientId: CLIENT_ID ?? 'submissions-web',
    redirectUri: REDIRECT_URI,
    apiUrl: API_URL ?? 'http://localhost:4002',
    names: JSON.parse(NAMES ?? '{}') as Names,
    database: DATABASE ?? 'data/submissions-web.sqlite',
  })
  // Before the line that says it is up: a supervisor may end the process as soon as it reads it.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close())
  console.log(`submissions-web listens on ${url}`)
} catch (problem) {
  console.error(
    `submissions-web did not start: ${problem instanceof Error ? problem.message : String(problem)}`,
  )
  process.exitCode = 1
}
