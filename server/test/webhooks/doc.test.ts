/** The receiver that docs/webhooks.md shows, as it stands there. */
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { freePort } from '../harness/process.ts'
import { read, root } from '../house/support.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = JSON.stringify({ type: 'role.created', data: { target: { name: 'Prüfstelle 🎉' } } })
let port: number
let receiver: ReturnType<typeof spawn>

beforeAll(async () => {
  port = await freePort('127.0.0.1')
  const [, shown = ''] = /```js\n(import \{ createServer \}[^`]*)```/.exec(read('docs/webhooks.md')) ?? []
  const program = shown.replace('listen(4003)', `listen(${port}, '127.0.0.1')`)
  expect(program).toContain(String(port))
  receiver = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await vi.waitFor(() => send(body, new Date()), { timeout: 30_000, interval: 50 })
})
afterAll(() => receiver.kill('SIGKILL'))

it('takes what is signed, however the network cuts it', async () => {
  expect(await send(body, new Date())).toBe(204)
})

it.each([
  ['an altered body', body.replace('created', 'removed'), 0],
  ['what is too old', body, -600_000],
  ['what is of the future', body, 600_000],
])('refuses %s', async (_, sent, later) => {
  expect(await send(sent, new Date(Date.now() + later))).toBe(401)
})

/** Byte by byte, each in a packet of its own; yields the status. The signature is that of `body`. */
async function send(sent: string, at: Date): Promise<number> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const answer = new Promise<number>((resolve, reject) => {
    socket.once('data', (data) => resolve(Number(String(data).split(' ')[1])))
    socket.once('error', reject)
  })
  answer.catch(() => undefined)
  const head = [
    'POST /tessera HTTP/1.1',
    'host: hooks.example.com',
    'connection: close',
    'webhook-id: one',
    `webhook-timestamp: ${Math.floor(at.getTime() / 1000)}`,
    `webhook-signature: ${new Webhook(secret).sign('one', at, body)}`,
    `content-length: ${Buffer.byteLength(sent)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  for (const byte of Buffer.from(sent)) {
    socket.write(Buffer.of(byte))
    await wait(1)
  }
  return await answer.finally(() => socket.destroy())
}
