/** Second factors of a Keycloak export (26.7.3, written by `kc.sh export`; the keys are of Chromium's virtual authenticator). */
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { Authenticator } from '../harness/authenticator.ts'
import { answerOf, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { asked, byPasskey } from '../sign-in/passkey-support.ts'
import { atSecondFactor } from '../sign-in/factor-support.ts'
import { importText, lines, password, password_hash } from './support.ts'

const profiles = [{ role: 'importer', organisation: 'acme' }]
const handleOf = (id: string) => Buffer.from(id).toString('base64url')
const person = (name: string, more: object) => ({
  email: `${name}@hafen.example`,
  name,
  password_hash,
  profiles,
  ...more,
})

const gerda = {
  type: 'otp',
  userLabel: 'Tresor',
  secretData: '{"value":"mOOPp27WiwgowMmAaCpW"}',
  credentialData: '{"subType":"totp","digits":8,"counter":0,"period":60,"algorithm":"HmacSHA256"}',
}
const frank = {
  type: 'otp',
  secretData: { value: 'nT0VMimWKDAmUi538In3' },
  credentialData: { subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' },
}
const ines = {
  type: 'webauthn',
  userLabel: 'Blauer Schlüssel',
  rp_id: 'localhost',
  secretData: '{}',
  credentialData:
    '{"aaguid":"00000000-0000-0000-0000-000000000000","credentialId":"h0HehlN0LuwjdMpjU55+9RZYOZhJP1rGXhR/5APhwl4=","counter":2,"credentialPublicKey":"pQECAyYgASFYIGGtpe2mRq0VjRM2vci7hHBFDva0RxwZTp5E8EMKlLeNIlgg8VYhQoLl2AyIwkFuGj-DHt9BG0ZZVsMkdI-2P3rhNb4","attestationStatementFormat":"none","transports":["usb"]}',
}
const inesHandle = handleOf('575ffb73-301b-4e66-9427-1de6d4014422')
const inesKey = {
  id: 'h0HehlN0LuwjdMpjU55-9RZYOZhJP1rGXhR_5APhwl4',
  key: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPXbE7Ezj9D6T7pJJCOUsm7duNI9OZPFlqQZk+5GkS+mhRANCAARhraXtpkatFY0TNr3Iu4RwRQ72tEccGU6eRPBDCpS3jfFWIUKC5dgMiMJBbho/gx7fQRtGWVbDJHSPtj964TW+',
  signCount: 2,
}
const mira = {
  type: 'webauthn-passwordless',
  userLabel: 'Miras Laptop',
  rp_id: 'localhost',
  credentialData:
    '{"aaguid":"01020304-0506-0708-0102-030405060708","credentialId":"rL8Vbm2u+lbJV5od0uBYotEBQAA1IkVlAEdaXrVkZ60=","counter":2,"credentialPublicKey":"pQECAyYgASFYIMDp3p53TWVF6rsvAmRBXJXFwx7GwDuUWjOz9kKNgmiuIlgg3x2ucdeKt4okCabK6LzAU41YXfftT01_UI7RBcM9CVk","attestationStatementFormat":"none","transports":["internal"]}',
}
const miraHandle = handleOf('d87a5c2b-8e4e-46d0-a972-61369075a444')
const miraKey = {
  id: 'rL8Vbm2u-lbJV5od0uBYotEBQAA1IkVlAEdaXrVkZ60',
  key: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiJdJeFXOLGoNGBVWLVeYng1iEF/i3jBw6CgilQMXcfahRANCAATA6d6ed01lReq7LwJkQVyVxcMexsA7lFozs/ZCjYJort8drnHXireKJAmmyui8wFONWF337U9Nf1CO0QXDPQlZ',
  signCount: 2,
}

onEachDatabase('second factors of Keycloak', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    const rows = [
      person('gerda', { totp_secret: gerda }),
      person('frank', { totp_secret: frank }),
      person('ines', { passkeys: [ines], user_handle: inesHandle }),
      person('mira', { password_hash: undefined, passkeys: [mira], user_handle: miraHandle }),
    ]
    expect(await importText(tessera, lines(rows))).toMatchObject({ imported: 4, refused: [] })
    expect(await importText(tessera, lines(rows))).toMatchObject({ already: 4, refused: [] })
  })
  const at = async (name: string) => {
    const browser = new TestBrowser(tessera.url)
    const page = await atSecondFactor(browser, { email: `${name}@hafen.example`, password })
    expect(new URL(page.url).pathname).toBe('/sign-in/second-factor')
    return { browser, page }
  }

  it.each([
    ['gerda', 'NVHU6UDQGI3VO2LXM5XXOTLNIFQUG4CX', { algorithm: 'SHA256', digits: 8, period: 60 }],
    ['frank', 'NZKDAVSNNFWVOS2EIFWVK2JVGM4ES3RT', { algorithm: 'SHA1', digits: 6, period: 30 }],
  ])('takes the codes of %s, as the app shows them', async (name, secret, parameters) => {
    const { browser, page } = await at(name)
    const code = new TOTP({ secret, ...parameters }).generate({ timestamp: tessera.clock.now() })
    const wrong = String((Number(code) + 7) % 10 ** parameters.digits).padStart(parameters.digits, '0')
    expect((await browser.submit(page, { choice: 'totp', code: wrong })).status).toBe(400)
    expect(answerOf(await browser.submit(page, { choice: 'totp', code })).code).toBeTypeOf('string')
  })

  it('takes a security key after the password, and not in its place', async () => {
    const key = new Authenticator(tessera.url, { known: inesKey })
    key.userHandle = inesHandle
    const { browser, page } = await at('ines')
    const { options, form } = await asked(browser, page, 'second_factor')
    expect(options.allowCredentials).toMatchObject([{ id: inesKey.id, transports: ['usb'] }])
    const done = await browser.submit(page, form(key.get(options, { userVerified: false })))
    expect(answerOf(done).code).toBeTypeOf('string')
    const alone = await byPasskey(new TestBrowser(tessera.url), key, { deviations: { userVerified: false } })
    expect(alone.status).toBe(400)
  })

  it('learns by the first use that a passkey is not synced, and then expects it', async () => {
    const key = new Authenticator(tessera.url, { known: miraKey })
    key.userHandle = miraHandle
    const enter = (deviations: object = {}) => byPasskey(new TestBrowser(tessera.url), key, { deviations })
    // A counter from before the export is a copy's, and another signature nobody's.
    expect((await enter({ forged: true, backupEligible: true })).status).toBe(400)
    expect(answerOf(await enter()).code).toBeTypeOf('string')
    expect((await enter({ backupEligible: true })).status).toBe(400)
    expect(answerOf(await enter()).code).toBeTypeOf('string')
  })

  describe('that are wrong are refused without a word of them', () => {
    const data = (part: object) => ({
      ...mira,
      credentialData: { ...JSON.parse(mira.credentialData), ...part },
    })
    const keyed = (one: object) => ({ passkeys: [one], user_handle: handleOf('x') })
    it.each<[string, object, RegExp]>([
      [
        'totp_secret',
        {
          totp_secret: {
            ...frank,
            credentialData: { subType: 'hotp', digits: 6, algorithm: 'HmacSHA1', counter: 2 },
          },
        },
        /HOTP.*leave it out/,
      ],
      ['totp_secret', { totp_secret: { ...frank, secretData: { value: 'short' } } }, /80 bits/],
      ['totp_secret', { totp_secret: { ...frank, secretData: '{"value":' } }, /type otp/],
      [
        'totp_secret',
        {
          totp_secret: {
            ...frank,
            secretData: '{"value":"nT0VMimWKDAmUi538In3","value":"nT0VMimWKDAmUi538In4"}',
          },
        },
        /type otp/,
      ],
      ['totp_secret', { totp_secret: { credentialData: frank.credentialData } }, /type otp/],
      [
        'totp_secret',
        { totp_secret: { ...frank, credentialData: { ...frank.credentialData, digits: 10 } } },
        /6 to 8 digits/,
      ],
      [
        'totp_secret',
        { totp_secret: { ...frank, credentialData: { ...frank.credentialData, algorithm: 'HmacMD5' } } },
        /SHA1/,
      ],
      [
        'totp_secret',
        { totp_secret: { ...frank, credentialData: { ...frank.credentialData, period: 3600 } } },
        /15 to 60/,
      ],
      ['passkeys.0', keyed({ ...mira, type: 'password' }), /type webauthn/],
      ['passkeys.0', keyed(data({ credentialId: '!' })), /credentialId/],
      ['passkeys.0', keyed(data({ counter: '2' })), /counter/],
      ['passkeys.0.public_key', keyed(data({ credentialPublicKey: 'pQECAyYg' })), /COSE/],
      ['passkeys.0.sign_count', keyed(data({ counter: -1 })), /./],
      ['passkeys.0.rp_id', keyed({ ...mira, rp_id: undefined }), /missing/],
      ['passkeys.0.rp_id', keyed({ ...mira, rp_id: 'hafen.example' }), /not localhost/],
      ['passkeys.0.transports.0', keyed(data({ transports: ['carrier pigeon'] })), /transport/],
      ['user_handle', { passkeys: [mira] }, /needed with passkeys/],
      ['passkeys', keyed(mira), /Somebody has one/],
    ])('%s: %j', async (field, more, reason) => {
      const { imported, refused } = await importText(tessera, lines([person('wrong', more)]))
      expect([imported, refused.map((one) => one.at)]).toEqual([0, [`1 ${field}`]])
      expect(refused[0]?.reasons).toMatch(reason)
      expect(refused[0]?.reasons).not.toMatch(/nT0VM|In4|rL8Vb|pQECA|short/)
    })
  })
})
