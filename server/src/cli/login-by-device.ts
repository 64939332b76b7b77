import { setTimeout as wait } from 'node:timers/promises'
import { renderUnicodeCompact } from 'uqr'
import { deviceCodeGrant } from '../protocol/grant-types.ts'
import type { ApiObject } from './connection.ts'
import { isBuiltIn } from '../protocol/built-in-clients.ts'
import { type Context, note } from './context.ts'
import { noClient, type Wanted } from './login-by-browser.ts'
import { answerTo, reasonOf } from './service-address.ts'

/** The codes to sign in by (RFC 8628 §3.2); undefined: the client is not registered for devices. */
export async function deviceCodes({ origin, clientId, scope }: Wanted): Promise<ApiObject | undefined> {
  const form = { client_id: clientId, scope }
  const { ok, body } = await answerTo(origin, '/oauth2/device_authorization', form)
  if (ok) return body
  if (body.error === 'invalid_client') throw new Error(noClient(clientId, origin))
  if (body.error === 'unauthorized_client') return undefined
  throw new Error(`${origin} does not let ${clientId} sign in: ${reasonOf(body)}`)
}

/** Signs in through a browser on any device, by such codes. Yields the tokens. */
export async function loginByDevice(context: Context, wanted: Wanted, body: ApiObject): Promise<ApiObject> {
  const { user_code: code, verification_uri: address, verification_uri_complete: complete } = body
  if (context.errors.isTTY === true) note(context, renderUnicodeCompact(String(complete), { border: 2 }))
  note(context, `Open ${String(address)} on any device, and enter the code ${String(code)}`)
  return await tokensWhenAllowed(wanted, body)
}

/** RFC 8628 §3.5. A service that can't be reached for a moment is asked again. */
async function tokensWhenAllowed({ origin, clientId }: Wanted, codes: ApiObject): Promise<ApiObject> {
  const form = { grant_type: deviceCodeGrant, client_id: clientId, device_code: String(codes.device_code) }
  for (let seconds = Number(codes.interval ?? 5); ; ) {
    await wait(seconds * 1000)
    const { ok, body } = await answerTo(origin, '/oauth2/token', form)
    if (ok) return body
    if (body.error === 'slow_down') seconds += 5
    else if (body.error !== 'authorization_pending') throw new Error(`Nobody is signed in: ${reasonOf(body)}`)
  }
}

/** Says what to add. Nobody can change the client that comes along. */
export function notForDevices({ origin, clientId }: Wanted): Error {
  const is = `The client ${clientId} is not registered for devices`
  if (isBuiltIn(clientId))
    return new Error(
      `${is}: who is sent a code could let a stranger administer (docs/security.md). Make one that is, on the database of the service, and sign in with it:\n` +
        "  tessera client create command-by-code --client-name 'Command by a code' --type public --service iam \\\n" +
        `    --scope 'openid service.api' --grant-type ${deviceCodeGrant} --grant-type refresh_token\n` +
        `  tessera login ${origin} --device --client command-by-code`,
    )
  return new Error(
    `${is}. Add the grant to it in the declared file:\n` +
      `  grant_types: [authorization_code, refresh_token, "${deviceCodeGrant}"]\n` +
      `or by: tessera client change ${clientId} --add-grant-type ${deviceCodeGrant}`,
  )
}
