/** What is too large, or not read for another reason, is answered so that the client can read it. */
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { administeredOn, tokenOf } from '../administration/support.ts'
import { problemType } from '../../dist/http/problems.js'

const mebibyte = 1024 * 1024

describe('a body of 10 MB', () => {
  const tessera = administeredOn('sqlite')
  let authorization: string
  beforeAll(async () => {
    authorization = `Bearer ${await tokenOf(tessera.url, 'admin-cli')}`
  })

  interface Answer {
    status: number
    body: string
    reset: boolean
  }

  /**
   * Sends all, and reads only then, as many libraries do: what is reset meanwhile has no answer. `chunked`: the length
   * is not told.
   */
  async function send(
    path: string,
    headers: string[],
    { size = 10 * mebibyte, chunked = false, close = false } = {},
  ): Promise<Answer> {
    const { hostname, port } = new URL(tessera.listening)
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`
    const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', length, ...headers]
    if (close) lines.push('Connection: close')
    const block = Buffer.alloc(mebibyte, 'x')
    const part = chunked
      ? Buffer.concat([Buffer.from(`${mebibyte.toString(16)}\r\n`), block, Buffer.from('\r\n')])
      : block
    const socket = connect(Number(port), hostname)
    let reset = false
    socket.on('error', () => (reset = true))
    socket.pause()
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    for (let sent = 0; sent < size && !reset; sent += mebibyte)
      await new Promise((resolve) => socket.write(part, resolve))
    if (chunked) socket.write('0\r\n\r\n')
    let text = ''
    await new Promise<void>((resolve) => {
      socket.setTimeout(5000, () => socket.destroy())
      socket.on('data', (some) => {
        text += some.toString('latin1')
        const [head = '', body = ''] = text.split('\r\n\r\n')
        const told = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Infinity)
        if (body.length >= told) socket.destroy()
      })
      socket.on('close', () => resolve())
      socket.resume()
    })
    return { status: Number(text.slice(9, 12)), body: text.split('\r\n\r\n')[1] ?? '', reset }
  }

  const form = 'Content-Type: application/x-www-form-urlencoded'
  const json = 'Content-Type: application/json'
  const forms = ['/oauth2/token', '/sign-in', '/account/person']

  for (const close of [false, true]) {
    const kept = close ? 'closed' : 'kept'
    for (const chunked of [false, true]) {
      const told = chunked ? 'in chunks' : 'of a known length'

      it.each(forms)(`${told} at %s is 413, on a connection that is ${kept}`, async (path) => {
        const { status, body, reset } = await send(path, [form], { chunked, close })
        expect([status, reset]).toEqual([413, false])
        expect(JSON.parse(body)).toEqual({
          error: 'request_too_large',
          error_description: 'The body is larger than this address takes.',
        })
      })

      it(`${told} at a page is a page, on a connection that is ${kept}`, async () => {
        const { status, body, reset } = await send('/device', [form, 'Accept: text/html'], { chunked, close })
        expect([status, reset]).toEqual([413, false])
        expect(body).toContain('The body is larger than this address takes.')
      })

      it(`${told} at the administration API is 413, on a connection that is ${kept}`, async () => {
        const { status, body, reset } = await send(
          '/admin/v1/users',
          [json, `Authorization: ${authorization}`],
          { chunked, close },
        )
        expect([status, reset, (JSON.parse(body) as { error: string }).error]).toEqual([
          413,
          false,
          'request_too_large',
        ])
      })

      it.each<readonly [string, string, number]>([
        ['/oauth2/token', json, 400],
        ['/account/person', 'Content-Type: multipart/form-data; boundary=x', 413],
        // The guard answers by itself, and looks at no body.
        ...(close ? [] : [['/admin/v1/users', json, 401] as const]),
        ['/nothing', json, 404],
        ['/oauth2/jwks', json, 405],
        ['/oauth2/token', 'Content-Type: nonsense', 400],
      ])(`${told} at %s as %s is %i, on a connection that is ${kept}`, async (path, type, expected) => {
        const { status, reset } = await send(path, [type], { chunked, close })
        expect([status, reset]).toEqual([expected, false])
      })
    }
  }

  it('is 413 for a client that reads while it sends', async () => {
    for (const [path, type] of [
      ['/oauth2/token', 'application/x-www-form-urlencoded'],
      ['/admin/v1/users', 'application/json'],
    ] as const) {
      const body = 'x'.repeat(10 * mebibyte)
      const response = await fetch(`${tessera.url}${path}`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, authorization },
      })
      expect(response.status).toBe(413)
      expect(response.headers.get('content-type')).toContain(path === '/oauth2/token' ? 'json' : problemType)
      expect(await response.json()).toMatchObject({ error: 'request_too_large' })
    }
  })

  it('is followed by nothing on its connection, and others go on', async () => {
    const { status } = await send('/oauth2/token', [form], { size: 200 * mebibyte })
    expect([0, 413]).toContain(status)
    expect((await fetch(`${tessera.url}/oauth2/jwks`)).status).toBe(200)
  })
})
