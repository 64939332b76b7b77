import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, tesseraOn } from '../harness/harness.ts'
import { formPaths } from './hostile-input.ts'
import { flawOf, formRequest, getRequest, rawRequest } from './hostile-support.ts'
import { machine, machineToken } from '../harness/program.ts'

const pagePaths = [
  '/oauth2/authorize',
  '/oauth2/authorize/continue',
  '/sign-in',
  '/choose-profile',
  '/consent',
  '/no-profile',
  '/oauth2/logout',
  '/oauth2/logout/confirm',
]
const forms = formPaths.filter((path) => path !== '/oauth2/userinfo')
const right = new URLSearchParams({ grant_type: 'client_credentials', ...machine }).toString()

onOneDatabase('what one request may hold', (dialect) => {
  const tessera = tesseraOn(dialect)
  const send = async (bytes: string) => {
    const answer = await rawRequest(tessera.listening, bytes)
    expect(flawOf(answer)).toBeUndefined()
    return answer
  }

  it.each([...forms, '/sign-in', '/choose-profile', '/consent'])(
    'is a hundred parameters and 64 KB at %s',
    async (path) => {
      const names = Array.from({ length: 101 }, (_, n) => `n${n}=x`).join('&')
      const many = await send(formRequest(path, names))
      expect([many.status, many.body.includes('invalid_request')]).toEqual([400, true])
      // The same name again and again is no way around it.
      const again = await send(formRequest(path, Array(30_000).fill('a=').join('&')))
      expect([400, 413]).toContain(again.status)
      const large = await send(formRequest(path, `a=${'x'.repeat(64 * 1024)}`))
      expect(large.status).toBe(413)
    },
  )

  it('is a hundred parameters in a query', async () => {
    const names = Array.from({ length: 101 }, (_, n) => `n${n}=x`).join('&')
    for (const path of ['/oauth2/authorize', '/oauth2/logout', '/sign-in']) {
      expect((await send(getRequest(`${path}?${names}`))).status).toBe(400)
    }
    const usual = await send(getRequest(`${authorizeRequest().path}&${names.slice(0, 300)}`))
    expect(usual.status).toBe(303)
  })

  it('is 16 KB of address and headers, however they are shared out', async () => {
    const requests = [
      getRequest(`/oauth2/jwks?${'x'.repeat(17_000)}`),
      getRequest('/oauth2/jwks', [`X: ${'x'.repeat(17_000)}`]),
      getRequest('/oauth2/jwks', [`Cookie: ${'tessera-session=a; '.repeat(900)}`]),
      getRequest(
        '/oauth2/jwks',
        Array.from({ length: 3000 }, (_, n) => `X-${n}: y`),
      ),
      getRequest('/oauth2/userinfo', [`Authorization: Bearer ${'x'.repeat(17_000)}`]),
    ]
    for (const bytes of requests) expect((await send(bytes)).status).toBe(431)
    expect((await send(getRequest(`/oauth2/jwks?${'x'.repeat(12_000)}`))).status).toBe(200)
  })

  it('is 512 characters of each part of the path, as the longest client_id has: of a longer one there is nothing', async () => {
    const token = await machineToken(tessera.url)
    const authorization = `Authorization: Bearer ${token}`
    const parts = [
      'a'.repeat(513),
      'a'.repeat(5000),
      '%61'.repeat(513),
      'é'.repeat(513),
      `${'a'.repeat(513)}%2F..`,
    ]
    const paths = ['/pictures/?', '/assets/accent/?', '/admin/v1/users/?', '/admin/v1/clients/?/secrets/x']
    for (const path of paths) {
      for (const part of parts) {
        const to = path.replace('?', encodeURI(part).replaceAll('%25', '%'))
        for (const headers of [
          [],
          [authorization],
          ['Accept: text/html'],
          [authorization, 'Accept: text/html'],
        ]) {
          const answer = await send(getRequest(to, headers))
          expect(answer.status, to).toBe(404)
          expect(answer.body).toContain('not_found')
          expect(answer.body.startsWith('<!doctype html>')).toBe(headers.includes('Accept: text/html'))
        }
      }
      const last = await send(getRequest(path.replace('?', 'a'.repeat(512))))
      expect([401, 404, 405]).toContain(last.status)
    }
    const body = new URLSearchParams({ a: 'b' }).toString()
    expect((await send(formRequest(`/admin/v1/users/${'a'.repeat(513)}`, body))).status).toBe(404)
  })

  it('is one value of 4,096 characters', async () => {
    const long = 'x'.repeat(4097)
    for (const name of ['client_id', 'client_secret', 'grant_type', 'scope']) {
      const form = new URLSearchParams(right)
      form.set(name, long)
      const answer = await send(formRequest('/oauth2/token', form.toString()))
      expect([answer.status, answer.body.includes('longer than')]).toEqual([400, true])
    }
  })
})

onOneDatabase('every address', (dialect) => {
  const tessera = tesseraOn(dialect)
  let paths: string[]
  beforeAll(async () => {
    const { paths: described } = (await (await fetch(`${tessera.url}/api/doc.json`)).json()) as {
      paths: object
    }
    const stylesheet = /href="(\/assets\/[^"]+)"/.exec(
      await (await fetch(`${tessera.url}/nowhere`, { headers: { accept: 'text/html' } })).text(),
    )?.[1]
    paths = [
      ...new Set([...Object.keys(described), ...pagePaths, stylesheet ?? 'none']),
      '/api/doc',
      '/api/doc.json',
      '/api/doc/start.js',
      '/health/live',
      '/health/ready',
      '/nowhere',
      '/',
    ]
  })

  it('forbids framing and sniffing, tells no referrer and has a request id, whatever is asked and by whom', async () => {
    expect(paths.length).toBeGreaterThan(20)
    const flaws: string[] = []
    const both = ['text/html', 'application/json']
    let turn = 0
    for (const path of paths) {
      // Pages and programs take turns: each path and each method is asked by both.
      turn++
      for (const [index, method] of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'].entries()) {
        for (const accept of pagePaths.includes(path) ? both : both.slice((turn + index) % 2).slice(0, 1)) {
          const bytes = getRequest(path, [`Accept: ${accept}`, 'Origin: https://evil.example']).replace(
            'GET',
            method,
          )
          const answer = await rawRequest(tessera.listening, bytes)
          const flaw = flawOf(answer)
          if (flaw !== undefined) flaws.push(`${method} ${path}: ${flaw}`)
          const origin = answer.headers.get('access-control-allow-origin')
          if (origin !== undefined && origin !== '*') flaws.push(`${method} ${path} allows ${origin}`)
          if (answer.headers.has('access-control-allow-credentials')) flaws.push(`${path} allows credentials`)
          const cached = answer.headers.get('cache-control') ?? ''
          if (pagePaths.includes(path) && method !== 'OPTIONS' && cached !== 'no-store')
            flaws.push(`${method} ${path} as ${accept} may be stored: ${cached}`)
        }
      }
    }
    expect(flaws).toEqual([])
  })

  it('forbids foreign scripts on every page, and sets cookies that scripts and other sites do not get', async () => {
    const page = await fetch(`${tessera.url}${authorizeRequest().path}`, { headers: { accept: 'text/html' } })
    for (const answer of [
      page,
      await fetch(`${tessera.url}/nowhere`, { headers: { accept: 'text/html' } }),
    ]) {
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy.replace("; script-src 'self'", '')).not.toMatch(/unsafe-|script-src|\*/)
    }
    const first = await fetch(`${tessera.url}${authorizeRequest().path}`, { redirect: 'manual' })
    for (const cookie of first.headers.getSetCookie())
      expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(first.headers.getSetCookie()).toHaveLength(1)
  })
})

// Beside the others: it waits, and does nothing.
describe.concurrent('who sends slowly', () => {
  /** Opens a connection that goes on sending a byte at a time; yields what came back and after how many ms it was cut. */
  async function dribble(url: string, start: string, byte: string): Promise<{ text: string; after: number }> {
    const { hostname, port } = new URL(url)
    const began = performance.now()
    return await new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const socket: Socket = connect(Number(port), hostname, () => {
        if (start !== '') socket.write(start)
        // From here on: what is written to a connection that is not yet there would come before the start.
        timer = setInterval(() => byte !== '' && socket.write(byte), 400)
      })
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString('latin1')))
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(timer)
        resolve({ text, after: performance.now() - began })
      })
    })
  }

  it('is cut off, and nobody else waits for it', async () => {
    // Where the rows are makes no difference to it.
    const tessera = await startTessera('sqlite')
    const head = 'POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\n'
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n'
    const slow = [
      dribble(tessera.listening, '', ''),
      dribble(tessera.listening, 'GET ', 'x'),
      dribble(tessera.listening, `${head}X: `, 'x'),
      dribble(tessera.listening, `${head}${form}`, 'a'),
    ]
    const crowd = Array.from({ length: 200 }, () => dribble(tessera.listening, head, ''))
    for (let times = 0; times < 20; times++) {
      expect((await fetch(`${tessera.url}/oauth2/jwks`)).status).toBe(200)
    }
    const [nothing, line, headers, body] = await Promise.all(slow)
    await Promise.all(crowd)
    for (const one of [line, headers]) {
      expect(one?.text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"error":"invalid_request"/)
      expect(one?.after).toBeLessThan(27_000)
    }
    expect(body?.text).toMatch(/^HTTP\/1\.1 408 /)
    for (const one of [nothing, body]) expect(one?.after).toBeLessThan(70_000)
    await tessera.close()
  })
})
