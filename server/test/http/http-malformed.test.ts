import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { machine } from '../harness/program.ts'

const form = new URLSearchParams({ grant_type: 'client_credentials', ...machine }).toString()
const host = 'Host: localhost'
const type = 'Content-Type: application/x-www-form-urlencoded'
const post = 'POST /oauth2/token HTTP/1.1'
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`

onOneDatabase('malformed HTTP', (dialect) => {
  const tessera = tesseraOn(dialect)

  /** Sends bytes as they are; yields all that came back until the service closed, or nothing more came. */
  async function raw(...parts: (string | Buffer)[]): Promise<string> {
    const { hostname, port } = new URL(tessera.listening)
    return await new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        for (const part of parts) socket.write(part)
      })
      let text = ''
      // The first byte may take its time; what follows an answer comes with it.
      socket.setTimeout(10_000, () => socket.destroy())
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        socket.setTimeout(600)
      })
      socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)))
      socket.on('close', () => resolve(text))
    })
  }
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['an unknown method', lines('FROB / HTTP/1.1', host), 400],
    ['no Host', lines('GET /oauth2/jwks HTTP/1.1', 'Connection: close'), 400],
    [
      'two credentials',
      lines('GET /oauth2/userinfo HTTP/1.1', host, 'Authorization: Bearer a', 'authorization: Bearer b'),
      400,
    ],
    ['a space in a header name', lines('GET /oauth2/jwks HTTP/1.1', host, 'x y: z'), 400],
    ['a NUL in a header', lines('GET /oauth2/jwks HTTP/1.1', host, 'x: a\0b'), 400],
    [
      'two different lengths',
      `${lines(post, host, type, 'Content-Length: 5', 'Content-Length: 6')}a=b&c=d`,
      400,
    ],
    ['a negative length', `${lines(post, host, type, 'Content-Length: -1')}a`, 400],
    [
      'length and chunks',
      `${lines(post, host, type, 'Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      400,
    ],
    ['a broken chunk', `${lines(post, host, type, 'Transfer-Encoding: chunked')}zz\r\n`, 400],
    ['an expectation that nobody knows', lines('GET /oauth2/jwks HTTP/1.1', host, 'Expect: tea'), 417],
    [
      'an expectation beside a form',
      `${lines(post, host, type, 'Expect: x', `Content-Length: ${form.length}`)}${form}`,
      417,
    ],
    ['headers without an end of 40 KB', `GET / HTTP/1.1\r\n${host}\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
  ])('%s is answered in our own shape', async (_, bytes, status) => {
    const answer = await raw(bytes)
    expect(statusOf(answer)).toBe(status)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}/i)
    expect(JSON.parse(body)).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
  })

  it.each(['localhost:443', 'id.acme.example:443', '/oauth2/token'])(
    'CONNECT %s is answered in our own shape, and leads nowhere',
    async (target) => {
      const answer = await raw(
        lines(`CONNECT ${target} HTTP/1.1`, host),
        lines('GET /oauth2/jwks HTTP/1.1', host),
      )
      const [head = '', body = '', ...more] = answer.split('\r\n\r\n')
      expect([statusOf(answer), more]).toEqual([405, []])
      expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}/i)
      expect(head).toMatch(/\r\nallow: GET, HEAD, OPTIONS, POST\r\n/)
      expect(JSON.parse(body)).toEqual({ error: 'method_not_allowed', error_description: expect.any(String) })
    },
  )

  it('100-continue is waited for by no body of a form', async () => {
    const head = lines(
      post,
      host,
      type,
      `Content-Length: ${form.length}`,
      'Expect: 100-continue',
      'Connection: close',
    )
    const answer = await raw(`${head}${form}`)
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  it('a body in chunks is read as any other', async () => {
    const chunks = `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`
    const answer = await raw(
      `${lines(post, host, type, 'Transfer-Encoding: chunked', 'Connection: close')}${chunks}`,
    )
    expect(statusOf(answer)).toBe(200)
  })

  it('chunks that never end are 413 once they are too many', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const answer = await raw(lines(post, host, type, 'Transfer-Encoding: chunked'), ...Array(6).fill(chunk))
    expect(statusOf(answer)).toBe(413)
  })

  it('a length that is too large is 413 before a byte of the body', async () => {
    const answer = await raw(lines(post, host, type, 'Content-Length: 999999999'))
    expect(statusOf(answer)).toBe(413)
  })

  it('bytes that are no UTF-8 are no client', async () => {
    const body = Buffer.concat([
      Buffer.from('grant_type=client_credentials&client_id='),
      Buffer.from([0xff, 0xfe]),
    ])
    const head = lines(post, host, type, `Content-Length: ${body.length}`, 'Connection: close')
    const answer = await raw(head, body)
    expect([400, 401]).toContain(statusOf(answer))
    expect(answer).toMatch(/"error":"invalid_(request|client)"/)
  })

  it('of two Authorization headers the second is no way around the first', async () => {
    const basic = Buffer.from(`${machine.client_id}:${machine.client_secret}`).toString('base64')
    const body = 'grant_type=client_credentials'
    const head = (...authorization: string[]) =>
      lines(post, host, type, ...authorization, `Content-Length: ${body.length}`, 'Connection: close')
    expect(statusOf(await raw(`${head(`Authorization: Basic ${basic}`)}${body}`))).toBe(200)
    const two = await raw(`${head('Authorization: Basic eDp5', `Authorization: Basic ${basic}`)}${body}`)
    expect([400, 401]).toContain(statusOf(two))
  })

  it('an absolute address on the request line is taken by its path, whatever host it names', async () => {
    const answer = await raw(
      lines('GET http://evil.example/.well-known/openid-configuration HTTP/1.1', host, 'Connection: close'),
    )
    expect(answer).not.toContain('evil.example')
  })

  it('two requests in one packet are two answers', async () => {
    const one = lines('GET /oauth2/jwks HTTP/1.1', host)
    const last = lines('GET /oauth2/jwks HTTP/1.1', host, 'Connection: close')
    expect((await raw(`${one}${last}`)).match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })

  it('after all that the service is well', async () => {
    expect((await fetch(`${tessera.url}/oauth2/jwks`)).status).toBe(200)
  })
})
