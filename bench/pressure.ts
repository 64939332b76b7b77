/** Machine tokens at half of what is possible, without sign-ins and with as many as are let in: an open-loop client. */
import { authorizeRequest, people, TestBrowser } from '../server/test/browser.ts'
import { Client, form, load } from './load.ts'
import { newFolder, remove, startService } from './service.ts'

const port = 4391
const sockets = 32
const seconds = 10
/** More than may wait for their password check (64), so that some are always refused. */
const crowd = 100

const machine = form('/oauth2/token', {
  grant_type: 'client_credentials',
  client_id: 'nightly-import',
  client_secret: 'nightly-import-development-secret',
})

/** Prints p50 and p99 of machine tokens, and what became of the sign-ins. */
export async function pressure(): Promise<void> {
  const service = await startService(port, newFolder(), {
    TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
  })
  try {
    await load(port, Array<string>(2000).fill(machine), 16, 200)
    const possible = await load(port, Array<string>(5000).fill(machine), 16, 200)
    const rate = possible.requests / possible.seconds / 2
    const alone = await openLoop(rate)
    const signIns = new SignIns(service.url)
    await signIns.begin()
    const pressed = await openLoop(rate)
    const outcomes = await signIns.end()
    const row = (name: string, times: number[]) =>
      `| ${name} | ${rate.toFixed(0)} | ${percentile(times, 0.5)} | ${percentile(times, 0.99)} | ${percentile(times, 1)} |`
    process.stdout.write(`| machine tokens | per second | p50, ms | p99, ms | longest, ms |
|---|---|---|---|---|
${row('alone', alone)}
${row(`with ${crowd} who sign in again and again`, pressed)}

Sign-ins in these ${seconds} s: ${[...outcomes].map(([status, count]) => `${count} answered ${status}`).join(', ')}.
`)
  } finally {
    await service.stop()
    remove(service.folder)
  }
}

/** Sends at fixed times whatever the service does; each is timed from when it was due. */
async function openLoop(perSecond: number): Promise<number[]> {
  const free = Array.from({ length: sockets }, () => new Client(port))
  const all = [...free]
  const due: number[] = []
  const times: number[] = []
  const total = Math.round(perSecond * seconds)
  const began = performance.now()
  let scheduled = 0
  await new Promise<void>((resolve, reject) => {
    const send = () => {
      while (free.length > 0 && due.length > 0) {
        const client = free.pop()
        const at = due.shift() ?? 0
        client?.send(machine).then((answer) => {
          if (!answer.startsWith('HTTP/1.1 200'))
            return reject(new Error(`A wrong answer: ${answer.slice(0, 300)}`))
          times.push(performance.now() - at)
          free.push(client)
          if (times.length === total) resolve()
          else send()
        }, reject)
      }
    }
    const tick = () => {
      for (; scheduled < total && began + (scheduled * 1000) / perSecond <= performance.now(); scheduled++)
        due.push(began + (scheduled * 1000) / perSecond)
      send()
      if (scheduled < total) setTimeout(tick, 1)
    }
    tick()
  })
  for (const client of all) client.close()
  return times.sort((a, b) => a - b)
}

/** People with a wrong password, so that each try costs a check and leaves the page as it was. */
class SignIns {
  readonly #url: string
  readonly #outcomes = new Map<number, number>()
  #ending = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(url: string) {
    this.#url = url
  }

  async begin(): Promise<void> {
    const forms = await Promise.all(Array.from({ length: crowd }, () => this.#form()))
    this.#running = Promise.all(forms.map((request) => this.#again(request)))
  }

  async end(): Promise<ReadonlyMap<number, number>> {
    this.#ending = true
    await this.#running
    return this.#outcomes
  }

  async #form(): Promise<string> {
    const browser = new TestBrowser(this.#url)
    const page = await browser.open(authorizeRequest().path)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const { pathname, search } = new URL(page.url)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const bytes = form(`${pathname}${search}`, { csrf, email: people.importer.email, password: 'wrong' })
    return bytes.replace('\r\n', `\r\ncookie: ${cookie}\r\n`)
  }

  async #again(request: string): Promise<void> {
    const client = new Client(port)
    while (!this.#ending) {
      const status = Number((await client.send(request)).slice(9, 12))
      this.#outcomes.set(status, (this.#outcomes.get(status) ?? 0) + 1)
      // As a person who is told to come back would, if in a hurry.
      await new Promise((resolve) => setTimeout(resolve, status === 503 ? 500 : 50))
    }
    client.close()
  }
}

function percentile(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)
}
