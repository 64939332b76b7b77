import { ProtocolError } from '../../protocol/errors.ts'
import type { Parameters } from '../../protocol/parameters.ts'
import { invalidGrant } from '../../protocol/refusals.ts'
import type { Service } from '../../service.ts'
import { findCode } from '../../store/authorization-codes.ts'
import { type DeviceCode, findDeviceCode, pollTooSoon } from '../../store/device-codes.ts'
import type { TokenRequest, PersonGrant, Presented } from '../issue.ts'
import { exchange, type StoredCode, narrowedResource } from './authorization-code.ts'

/**
 * The device_code grant (RFC 8628 §3.4). Once a person has allowed it, the device code is an authorization code, and is
 * exchanged as one: once, with all checked anew.
 */
export async function deviceCode(service: Service, parameters: Parameters): Promise<Presented> {
  const text = parameters.optional('device_code') ?? ''
  const device = await findDeviceCode(service.store, text)
  const found = device?.state === 'approved' ? await findCode(service.store, text, service.now()) : undefined
  return {
    revision: found?.person.revision,
    grant: (asking) => personGrant(asking, parameters, device, found),
  }
}

async function personGrant(
  asking: TokenRequest,
  parameters: Parameters,
  device: DeviceCode | undefined,
  found: StoredCode | undefined,
): Promise<PersonGrant> {
  parameters.required('device_code')
  if (device === undefined || device.client_id !== asking.client.client_id) {
    throw invalidGrant('The device code is not one that was issued to this client.')
  }
  if (device.state === 'denied') {
    throw new ProtocolError('access_denied', 'The user did not allow it. Start again on the device.')
  }
  if (device.state === 'pending') throw await notYet(asking.service, device)
  if (found === undefined) throw refusals.over()
  const resource = narrowedResource(found.code, parameters.optional('resource'))
  return await exchange(asking, found, { resource, refusals })
}

/** RFC 8628 §3.5 */
async function notYet({ store, now }: Service, { id, expires_at }: DeviceCode): Promise<ProtocolError> {
  if (expires_at <= now()) return refusals.expired()
  if (await pollTooSoon(store, id, now())) {
    return new ProtocolError('slow_down', 'Wait 5 seconds longer between two requests from now on.')
  }
  return new ProtocolError('authorization_pending', 'Nobody has entered the user code and answered yet.')
}

const refusals = {
  expired: () =>
    new ProtocolError('expired_token', 'The device code has expired. Start again on the device.'),
  already_used: () =>
    invalidGrant('The device code was already used. Its tokens are revoked; start again on the device.'),
  over: () =>
    invalidGrant(
      'The user signed out, or what the tokens are for was disabled, meanwhile. Start again on the device.',
    ),
} as const
