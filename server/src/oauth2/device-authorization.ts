import type { FastifyInstance } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { deviceCodeGrant } from '../protocol/grant-types.ts'
import { shownUserCode } from '../protocol/user-code.ts'
import type { Service } from '../service.ts'
import { devicePath } from '../sign-in/device.ts'
import { deviceCodeLifetime, keepDeviceCode, pollInterval } from '../store/device-codes.ts'
import { tokenAudience } from './audience.ts'
import { validScope } from './authorize-request.ts'
import type { AuthenticateClient } from './client-authentication.ts'
import { formOf } from './token.ts'

/** POST /oauth2/device_authorization (RFC 8628 §3.1): begins a sign-in of a device that has no browser. */
export function deviceAuthorizationEndpoint(
  app: FastifyInstance,
  service: Service,
  authenticate: AuthenticateClient,
): void {
  app.post('/oauth2/device_authorization', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    // Each keeps a row, as an authorization request does, and counts as one.
    const key = addressKey(request.ip)
    service.limits.authorize.check(key)
    service.limits.authorize.count(key)
    const parameters = formOf(request)
    parameters.refuseRepeated()
    const client = await authenticate(request, parameters)
    if (!client.grant_types.includes(deviceCodeGrant)) {
      throw new ProtocolError(
        'unauthorized_client',
        `The client is not registered for the grant ${deviceCodeGrant}.`,
      )
    }
    const scopes = validScope(parameters, client)
    const resource = parameters.optional('resource')
    if (resource !== undefined) tokenAudience(service.issuer, client, scopes, resource)
    const { client_id } = client
    const asked = { client_id, scope: scopes.join(' '), resource: resource ?? null }
    const codes = await keepDeviceCode(service.store, asked, service.now())
    const userCode = shownUserCode(codes.userCode)
    const address = `${service.issuer}${devicePath}`
    return {
      device_code: codes.deviceCode,
      user_code: userCode,
      verification_uri: address,
      verification_uri_complete: `${address}?user_code=${userCode}`,
      expires_in: deviceCodeLifetime / 1000,
      interval: pollInterval / 1000,
    }
  })
}
