/** Exports that somebody made to harm: each ends within seconds, and so does its process when the service is gone. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { fileOf, movingOn } from './move-in-support.ts'

const blanks = ' '.repeat(900_000)
const many = (count: number, one: (at: number) => object) => Array.from({ length: count }, (_, at) => one(at))

/** Everybody holds what all groups above theirs give: a small file of which much more would come. */
function unfolding(): string {
  const long = (at: number) => `r${at}-${'x'.repeat(25_000)}`
  const pathOf = (at: number) => `/${Array.from({ length: at + 1 }, (_, above) => `g${above}`).join('/')}`
  const [depth, width] = [5, 300]
  const bottom = `${pathOf(depth - 1)}/`
  let groups = many(width, (at) => ({ name: `l${at}`, path: `${bottom}l${at}`, realmRoles: [`leaf${at}`] }))
  for (let at = depth - 1; at >= 0; at--)
    groups = [
      { name: `g${at}`, path: pathOf(at), realmRoles: [long(at)], subGroups: groups } as (typeof groups)[0],
    ]
  const roles = [
    ...many(depth, (at) => ({ name: long(at) })),
    ...many(width, (at) => ({ name: `leaf${at}` })),
  ]
  const users = many(width, (at) => ({
    id: `u${at}`,
    username: `u${at}`,
    email: `u${at}@unfolding.example`,
    groups: [`${bottom}l${at}`],
  }))
  return JSON.stringify({ realm: 'unfolding', roles: { realm: roles }, groups, users })
}

/** A service in miniature: it hands a long task to the process, and is killed. */
const service = `
  const { fork } = require('node:child_process')
  const child = fork(process.argv[1], { serialization: 'advanced', stdio: 'ignore' })
  const line = (at) => JSON.stringify({ user_id: 'auth0|' + at, email: 'p' + at + '@long.example', identities: [] })
  const text = Array.from({ length: 200_000 }, (_, at) => line(at)).join('\\n')
  const sent = { source: 'auth0', files: [{ name: 'people.ndjson', text }] }
  child.send({ task: { kind: 'move-in', sent }, settings: {} }, () => console.log(child.pid))
  child.on('message', () => console.log('done'))
`

onOneDatabase('a hostile export', (dialect) => {
  const moving = movingOn(dialect)

  it.each([
    [
      'ldif',
      'names with many blanks',
      `dn: cn=a${blanks}x\nobjectClass: groupOfNames\nmember: uid=a${blanks}b\n`,
    ],
    ['ldif', 'names of blanks alone', `dn:: ${Buffer.from(blanks).toString('base64')}\nuid: a\n`],
    ['auth0', 'many empty lines', `{a}${'\n'.repeat(65_000)}x`],
    ['ory', 'a list of which nobody knows', `{"x":[${'1,'.repeat(600_000)}1]}`],
  ] as const)(
    'of %s with %s is read at once',
    async (source, _, text) => {
      const began = performance.now()
      expect((await moving.read(source, fileOf(text, 'export.txt'))).status).toBe(400)
      expect(performance.now() - began).toBeLessThan(25_000)
    },
    60_000,
  )

  it('is answered with no more than the service can hold', async () => {
    const { status, json } = await moving.read('keycloak', fileOf(unfolding()))
    expect([status, json.error]).toEqual([409, 'conflict'])
    expect(json.detail).toMatch(/more than the service answers/)
  }, 60_000)

  it('leaves no process behind when the service is killed', async () => {
    const path = new URL('../../dist/declaring/child-process.js', import.meta.url).pathname
    const killed = spawn(process.execPath, ['-e', service, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    const child = await new Promise<string>((resolve) =>
      killed.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())),
    )
    await pause(500)
    killed.kill('SIGKILL')
    await expect.poll(() => existsSync(`/proc/${child}`)).toBe(false)
  })
})
