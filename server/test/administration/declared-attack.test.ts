/** Declared files over HTTP, as somebody uses them who wants more than they have, or the service gone. */
import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { people, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { everythingWritten } from '../harness/states.ts'
import {
  acme,
  type AdminAnswer,
  Administrator,
  administeredOn,
  problemOf,
  profiles,
  users,
} from './support.ts'

const role = 'roles:\n  - code: reader\n    name: Reader\n'
const many = (count: number) =>
  `users:\n${Array.from({ length: count }, (_, n) => `  - email: many-${n}@acme.example\n    name: Many\n`).join('')}`

onEachDatabase('an attack by a declared file', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let machine: Administrator
  beforeAll(async () => {
    machine = await Administrator.machine(tessera.url)
  })
  const plan = async (text: string, who = machine, more: object = {}) =>
    await who.post('/declared/plan', { text, file: 'attack.yaml', ...more })
  const reasons = ({ json }: AdminAnswer) =>
    ((json.errors ?? []) as { detail: string }[]).map(({ detail }) => detail).join('\n')

  once.it('comes through no application that may do less than its person', async () => {
    const made = await machine.post('/clients', {
      client_id: 'files-web',
      client_name: 'Files',
      type: 'public',
      redirect_uris: ['http://127.0.0.1:4001/callback'],
      scope: 'openid service.api',
      services: ['iam'],
      permissions: ['iam.declared.read', 'iam.declared.update', 'iam.users.read', 'iam.roles.update'],
      first_party: true,
    })
    expect(made.status, made.text).toBe(201)
    const changes = { client_id: 'files-web', scope: 'openid service.api' }
    const { access_token: token = '' } = await tokensFor(tessera.url, people.admin, { changes })
    const narrow = new Administrator(tessera.url, token)
    expect(problemOf(await plan(role, narrow))).toBe('403 forbidden')
    expect(problemOf(await narrow.get('/declared/export'))).toBe('403 forbidden')
  })

  once.it(
    'takes no uuid, name or client that is somebody else’s, nor one of the service itself',
    async () => {
      const before = await everythingWritten(tessera)
      const own = `${role}users:\n  - email: importer@acme.example\n    name: Acme Importer\n    profiles:\n      - role: reader\n        uuid: ${profiles.bothReader}\n`
      for (const [text, said] of [
        [own, /uuid/],
        [
          `users:\n  - email: both@acme.example\n    uuid: ${users.importer}\n    name: Both\n`,
          /both@acme.example/,
        ],
        [`organisations:\n  - code: other\n    name: Other\n    uuid: ${acme}\n`, /uuid/],
        [
          'clients:\n  - client_id: tessera:console\n    client_name: Ours\n    type: machine\n',
          /reserved|tessera:/,
        ],
        ['services:\n  - code: iam\n    name: Ours\n    audience: https://a.example\n', /iam/],
        [
          `clients:\n  - client_id: proxy\n    client_name: P\n    type: proxied\n    origins: [${new URL(tessera.url).origin.replace('http:', 'https:')}]\n    routes: {"* /*": public}\n    x: 1\n`,
          /unknown key/,
        ],
      ] as const) {
        const answer = await plan(text)
        expect(problemOf(answer), text).toMatch(/^400 invalid_request text/)
        expect(reasons(answer)).toMatch(said)
      }
      expect(await everythingWritten(tessera)).toEqual(before)
    },
  )

  once.it('is told no secret of its text back', async () => {
    const secrets = {
      users: 'password: [pw-secret-1]\n    password_hash: pw-secret-2\n    totp_secret: pw-secret-3',
      clients:
        'client_secret: {a: pw-secret-4}\n    client_secret_hash: pw-secret-5\n    client_secret_hashes: [pw-secret-6]',
    }
    const text = `users:\n  - email: x@acme.example\n    name: X\n    ${secrets.users}\nclients:\n  - client_id: x\n    client_name: X\n    type: machine\n    ${secrets.clients}\n`
    const answer = await plan(text)
    expect(problemOf(answer)).toMatch(/^400/)
    expect(answer.text).not.toContain('pw-secret')
  })

  once.it('invites whom it names, by mail, and shows no link', async () => {
    const text = `${role}invitations:\n  - email: asked@acme.example\n    profiles:\n      - role: reader\n`
    const { json } = await plan(text)
    const done = await machine.post('/declared/apply', { text, file: 'attack.yaml', digest: json.digest })
    expect([done.status, done.text.includes('http')]).toEqual([200, false])
    const mails = await machine.all('/mails?recipient=asked@acme.example')
    expect(mails.map(({ kind }) => kind)).toEqual(['invitation'])
  })

  it('ends nothing but its own work where that is ended', async () => {
    const before = await everythingWritten(tessera)
    const text = many(1500)
    const { json } = await plan(text)
    const sent = { text, file: 'attack.yaml' }
    for (const ask of [
      () => machine.post('/declared/plan', sent),
      () => machine.post('/declared/apply', { ...sent, digest: json.digest }),
    ]) {
      const asked = ask()
      await endChild()
      expect(problemOf(await asked)).toBe('409 conflict')
    }
    expect(await everythingWritten(tessera)).toEqual(before)
    expect((await plan(role)).status).toBe(200)
  })
})

/** Ends the process that works on a file now, as the system does that has no more memory. */
async function endChild(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const all = execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
    const child = all
      .map((line) => line.trim().split(/\s+/))
      .find(([, parent, ...words]) => parent === String(process.pid) && words.join(' ').includes('declaring'))
    if (child !== undefined) {
      process.kill(Number(child[0]), 'SIGKILL')
      return
    }
    await pause(10)
  }
  throw new Error('Nothing works on a file.')
}
