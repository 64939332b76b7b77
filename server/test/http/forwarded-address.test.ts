/** What a trusted proxy forwards is taken where it is an address, and nothing else of it is taken at all. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { auditOf } from '../harness/states.ts'
import { trySignIn, unknown } from '../identity/throttling-support.ts'

onOneDatabase('X-Forwarded-For of a trusted proxy', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect, {
      settings: {
        TESSERA_TRUSTED_PROXIES: '127.0.0.0/8, ::1, 10.0.0.0/8',
        TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
      },
    })
  })
  afterAll(() => tessera.close())

  let account = 0
  /** The address that a refused sign-in is recorded by. */
  async function recorded(forwarded: string): Promise<string | null | undefined> {
    await trySignIn(tessera.url, unknown(account++), { headers: { 'x-forwarded-for': forwarded } })
    return (await auditOf(tessera, { kind: 'sign_in.failed' })).at(-1)?.address
  }
  const here = /^(127\.0\.0\.1|::1)$/

  it.each([
    ['an address', '203.0.113.7', '203.0.113.7'],
    ['an IPv6 address', '2001:db8::7', '2001:db8::7'],
    ['an IPv6 address in brackets', '[2001:db8::7]', '2001:db8::7'],
    ['an address with a port', '1.2.3.4:80', '1.2.3.4'],
    ['an IPv6 address with a port', '[2001:db8::7]:65535', '2001:db8::7'],
    ['the last of several', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['the one before further proxies', '198.51.100.1, 203.0.113.7:4711 ,10.1.2.3:80', '203.0.113.7'],
    ['the last, whatever stands before it', '<script>alert(1)</script>, unknown, 203.0.113.7', '203.0.113.7'],
  ])('tells %s', async (_what, forwarded, address) => {
    expect(await recorded(forwarded)).toBe(address)
  })

  it.each([
    ['markup', '<script>alert(1)</script>'],
    ['5,000 characters', 'x'.repeat(5000)],
    ['5,000 characters of a zone', `fe80::1%${'z'.repeat(5000)}`],
    ['5,000 characters of a zone in brackets', `[fe80::1%${'z'.repeat(5000)}]:80`],
    ['a name', 'unknown'],
    ['a host', 'client.example'],
    ['three numbers', '1.2.3'],
    ['a number beyond', '1.2.3.256'],
    ['a network', '10.0.0.0/8'],
    ['a port alone', ':80'],
    ['a port of six digits', '1.2.3.4:123456'],
    ['a port that is none', '1.2.3.4:http'],
    ['brackets around IPv4', '[1.2.3.4]:80'],
    ['quotes', '"1.2.3.4"'],
    ['a line of a log', '1.2.3.4 status=200'],
    ['SQL', "1.2.3.4'; drop table users; --"],
    ['nothing', ','],
    ['the syntax of Forwarded', 'for=1.2.3.4'],
  ])('does not tell %s: the connection does', async (_what, forwarded) => {
    expect(await recorded(forwarded)).toMatch(here)
  })

  it('stops at what is no address: nobody vouches for what stands before it', async () => {
    expect(await recorded('203.0.113.7, unknown')).toMatch(here)
    expect(await recorded('203.0.113.7, <b>, 10.1.2.3')).toBe('10.1.2.3')
    expect(await recorded('203.0.113.7, , 10.1.2.3:80')).toBe('10.1.2.3')
  })

  it('reads no more hops than there are anywhere', async () => {
    expect(await recorded(`203.0.113.7, ${Array<string>(900).fill('10.1.2.3').join(',')}`)).toBe('10.1.2.3')
  })
})
