import type { CDPSession } from 'playwright-core'
import type { Person } from '../oauth2/journey-support.ts'

/** A phone or laptop whose passkeys are synced, and a key that is plugged in, which only knows a touch. */
const authenticators = {
  synced: { transport: 'internal', backup: true, verifies: true },
  key: { transport: 'usb', backup: false, verifies: false },
} as const

/** Gives somebody's browser an authenticator of Chromium's own. */
export async function withAuthenticator(
  { context, page }: Person,
  kind: keyof typeof authenticators = 'synced',
): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { transport, backup, verifies } = authenticators[kind]
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: verifies,
      hasUserVerification: verifies,
      isUserVerified: verifies,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: backup,
      defaultBackupState: backup,
    },
  })
  return { cdp, authenticatorId }
}
