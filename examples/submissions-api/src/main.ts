import { start } from './server.ts'

const { env } = process

try {
  const service = await start({
    port: Number(env.PORT ?? 4002),
    host: env.HOST ?? '127.0.0.1',
    issuer: env.TESSERA_ISSUER ?? 'http://localhost:4000',
    audience: env.AUDIENCE ?? 'https://submissions.acme.example/api',
    database: env.DATABASE ?? 'data/submissions.sqlite',
  })
  // Before the line that says it is up: a supervisor may end the process as soon as it reads it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close())
  console.log(`Submissions API on ${service.url}`)
} catch (problem) {
  console.error(
    `Submissions API did not start: ${problem instanceof Error ? problem.message : String(problem)}`,
  )
  process.exitCode = 1
}
