/** Declared files over HTTP, by somebody who wants more of them than the API gives. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { beforeAll, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { type AdminAnswer, Administrator, administeredOn } from './support.ts'

onOneDatabase('an attack by a declared file', (dialect) => {
  const tessera = administeredOn(dialect)
  let machine: Administrator
  beforeAll(async () => {
    machine = await Administrator.machine(tessera.url)
  })
  const plan = async (text: string) =>
    await machine.post('/declared/plan', { text, file: 'attack.yaml', prune: false })
  const reasons = ({ json }: AdminAnswer) =>
    ((json.errors ?? []) as { detail: string }[]).map(({ detail }) => detail).join()

  it('forces no upstream by a client, nor by one that moves', async () => {
    const redirect_uris = ['https://forced.example/']
    const client = { client_name: 'Forced', type: 'public', scope: 'openid', redirect_uris }
    const policy = { sign_in: 'upstream' }
    const fileOf = (one: object) => `clients: [${JSON.stringify({ ...client, ...one })}]`
    const refused = expect.stringContaining('newly demands sign_in: upstream')
    expect(reasons(await plan(fileOf({ client_id: 'new', policy })))).toEqual(refused)
    for (const [client_id, set] of [
      ['plain', {}],
      ['forced', { policy }],
    ] as const) {
      const made = await machine.post('/clients', { client_id, ...client, ...set })
      expect(made.status, made.text).toBe(201)
    }
    expect(reasons(await plan(fileOf({ client_id: 'plain', policy })))).toEqual(refused)
    const everywhere = await plan(fileOf({ client_id: 'forced', policy }))
    expect(everywhere.status, everywhere.text).toBe(200)
    const acmes = `organisations: [{ code: acme, name: Acme }]\n${fileOf({ client_id: 'forced', policy, organisation: 'acme' })}`
    expect(reasons(await plan(acmes))).toEqual(refused)
  })

  it('is worked on by a process that no signal opens a debugger in, nor ends by another than the service', async () => {
    const people = Array.from({ length: 4000 }, (_, n) => `  - { email: n${n}@acme.example, name: Many }\n`)
    const planned = plan(`users:\n${people.join('')}`)
    const caught = () => {
      const of = (pid: string) => readFileSync(`/proc/${pid}/status`, 'utf8')
      const pids = readdirSync('/proc').filter(
        (name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/status`),
      )
      const child = pids.find((pid) => new RegExp(`^PPid:\\s${process.pid}$`, 'm').test(of(pid)))
      return BigInt(`0x${/^SigCgt:\s(\w+)$/m.exec(child === undefined ? '' : of(child))?.[1] ?? 0}`)
    }
    const signals = ['SIGUSR2', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const
    const isCaught = (mask: bigint) =>
      signals.every((one) => ((mask >> BigInt(constants.signals[one] - 1)) & 1n) === 1n)
    await expect.poll(() => isCaught(caught()), { timeout: 10_000, interval: 20 }).toBe(true)
    expect((await planned).status).toBe(200)
  })
})
