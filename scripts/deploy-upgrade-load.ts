/** What goes on while versions change: clients, people, an administrator and protected services ask all the time. */
import { setTimeout as wait } from 'node:timers/promises'
import { createGuard } from '../guard/dist/index.js'
import { Administrator } from '../server/test/administration/support.ts'
import { people } from '../server/test/harness/browser.ts'
import {
  audiences,
  introspect,
  machine,
  machineToken,
  refresh,
  tokensOf,
  userinfo,
  Visitor,
} from '../server/test/harness/program.ts'
import { must } from '../server/test/oauth2/exchange-support.ts'

type CreateGuard = typeof createGuard

/** The load on one address, of this version's guard and of the last one's. */
export class Load {
  /** How often each kind of work was done. */
  readonly done: Record<string, number> = {}
  readonly failures: string[] = []
  #isOver = false
  readonly #working: Promise<unknown>

  constructor(url: string, guardOfLast: CreateGuard) {
    const guards = [createGuard, guardOfLast].map((create) =>
      create({ issuer: url, audience: audiences.submissions }),
    )
    const pass = async (token: string | undefined, permission: string) => {
      for (const guard of guards) {
        const { allowed } = await guard.check(`Bearer ${token}`, permission)
        if (!allowed) throw new Error(`A guard refuses ${permission}.`)
      }
    }
    let kept = ''
    const works: Record<string, () => Promise<unknown>> = {
      'sign-ins with a refresh and userinfo': async () => {
        const { refresh_token, access_token } = await new Visitor(url).tokens()
        await pass(access_token, 'submissions-tool.vista-import.read')
        const { access_token: next } = tokensOf(await refresh(url, refresh_token))
        const { status } = await userinfo(url, next)
        if (status !== 200) throw new Error(`userinfo: ${status}`)
      },
      'refreshes of one family': async () => {
        if (kept === '') kept = (await new Visitor(url, people.admin).tokens()).refresh_token ?? ''
        kept = tokensOf(await refresh(url, kept)).refresh_token ?? ''
      },
      'machine tokens with introspection': async () => {
        const access = await machineToken(url)
        await pass(access, 'submissions-tool.vista-import.create')
        if ((await introspect(url, access, machine)).active !== true) throw new Error('introspection')
      },
      'roles made, renamed and removed': async () => {
        const admin = await Administrator.machine(url)
        const role = { code: `made-${crypto.randomUUID()}`, name: 'Made', permissions: ['ledger.entry.read'] }
        must(await admin.post('/roles', role), 201)
        const path = `/roles/${role.code}`
        must(await admin.patch(path, { name: 'Renamed' }), 200)
        must(await admin.delete(path, (await admin.get(path)).etag), 204)
      },
    }
    this.#working = Promise.all(Object.entries(works).map(([name, work]) => this.#goOn(name, work)))
  }

  async #goOn(name: string, work: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      try {
        await work()
        this.done[name] = (this.done[name] ?? 0) + 1
      } catch (error) {
        this.failures.push(`${new Date().toISOString()} ${name}: ${(error as Error).message.slice(0, 300)}`)
        if (this.failures.length > 20) return
      }
      await wait(100)
    }
  }

  /** How much of the work was cut off by what is done meanwhile, which is no failure of the upgrade. */
  async cutOff(work: () => Promise<void>): Promise<number> {
    const before = this.failures.length
    await work()
    await wait(1000)
    return this.failures.splice(before).length
  }

  /** Throws what failed. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
    if (this.failures.length > 0) throw new Error(`It failed under load:\n${this.failures.join('\n')}`)
  }
}
