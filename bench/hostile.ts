import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { authorizeRequest } from '../server/test/harness/browser.ts'
import {
  authorizeNames,
  encoded,
  formPaths,
  headerNames,
  headerText,
  tokenNames,
  withoutLimits,
} from '../server/test/http/hostile-input.ts'
import { formRequest, getRequest, rawRequest } from '../server/test/http/hostile-support.ts'
import { newFolder, remove, startService } from './service.ts'

const port = 4393
const count = 5000
const seed = 20_261_120
const results = new URL('results/hostile.md', import.meta.url)

/** How long the service takes over what is sent by those who mean harm: one after another, each answer timed. */
export async function hostile(): Promise<void> {
  const folder = newFolder()
  const service = await startService(port, folder, withoutLimits)
  const times: { ms: number; bytes: string }[] = []
  try {
    for (const bytes of fc.sample(requests, { numRuns: count, seed })) {
      const began = performance.now()
      const { status } = await rawRequest(`http://127.0.0.1:${port}`, bytes)
      times.push({ ms: performance.now() - began, bytes })
      if (status === 0 || status >= 500) throw new Error(`Answered ${status}: ${bytes.slice(0, 300)}`)
    }
  } finally {
    await service.stop()
    remove(folder)
  }
  times.sort((a, b) => a.ms - b.ms)
  const at = (part: number) => times[Math.floor(times.length * part)]?.ms.toFixed(1)
  const report = `# Hostile input

${count} hostile requests, seed ${seed}, one after another. None was answered 5xx, or not at all. The bar is 100 ms for each.

| | ms |
|---|---|
| p50 | ${at(0.5)} |
| p99 | ${at(0.99)} |
| the slowest: ${times.at(-1)?.bytes.split('\r\n')[0]?.slice(0, 60)} | ${times.at(-1)?.ms.toFixed(1)} |
`
  writeFileSync(results, report)
  process.stdout.write(report)
}

const fields = (names: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), encoded), { maxLength: 12 })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))

const authorizations = fc
  .tuple(fields(authorizeNames), fc.boolean())
  .map(([query, whole]) =>
    getRequest(
      `/oauth2/authorize?${whole ? `${authorizeRequest().query}&` : ''}${query.replaceAll(/[^\x21-\x7E]/g, '')}`,
    ),
  )
const forms = fc
  .tuple(fc.constantFrom(...formPaths), fields(tokenNames))
  .map(([path, body]) => formRequest(path, body))
const headers = fc
  .tuple(fc.constantFrom(...headerNames, 'Authorization', 'Cookie'), headerText)
  .map(([name, text]) => getRequest('/oauth2/userinfo', [`${name}: ${text}`]))

const requests = fc.oneof(authorizations, forms, headers)
