/** The kinds of audit records. docs/audit.md has the same table, and a test compares the two. */
import { type AuditedName, type SettledName, settledThings, thingNames, things } from './things.ts'

export type AuditedThing = AuditedName | SettledName
export type AuditedAction = 'created' | 'changed' | 'removed'

const events = {
  'sign_in.succeeded': 'A person signed in.',
  'sign_in.stepped_up':
    'A person who is signed in proved one more thing: a second factor, or a stronger one.',
  'sign_in.failed':
    'A password or a second factor was wrong, or the account is unknown or disabled: `detail.reason` says which.',
  'sign_in.throttled':
    'Failures of an account, a browser or an address reached their limit: attempts are refused for a while.',
  'factor.created': 'A person set up a second factor.',
  'factor.changed': 'A second factor got another name.',
  'factor.removed': 'A second factor was removed; other sessions that rested on it ended.',
  'factor.suspended':
    'A second factor was suspended, after too many wrong codes in a row or because its counter went back.',
  'factor.restored': 'A suspended second factor counts again.',
  'factor.reencrypted': 'The secret of a second factor was encrypted with another secret.',
  'recovery_codes.created': 'A person got new recovery codes; those from before no longer count.',
  'recovery_code.used': 'A recovery code was used.',
  'trusted_device.created': 'A person trusts a browser: it is not asked for a second factor for a while.',
  'trusted_device.removed': 'A browser is no longer trusted.',
  'password_reset.requested':
    'A link to set a password was made: `detail.by` says whether an administrator asked for it.',
  'password_reset.completed':
    'A password was set by a link; all sessions of the person ended, and `detail.second_factor` names what was proved for it.',
  'notice.repudiated':
    'Somebody said by the link of a notice that it was not them: the event was undone, all sessions ended, and the password became void.',
  'user.unlocked':
    'An administrator let a person try again at once: what was counted of them was forgotten, and suspended factors count again.',
  sign_out: 'A person signed out; the session and its token families ended.',
  'session.ended': 'A session ended otherwise than by signing out, and its token families with it.',
  'client_authentication.throttled':
    'A client failed to prove who it is too often from one address: it is refused for the rest of the minute.',
  'client_authentication.federated':
    'A client proved itself by a token of another issuer: `detail` names that issuer and the subject. Once a day for each client, issuer and subject in a process, of 20 subjects at the most, and anew after the client changed hands.',
  'client_document.changed':
    'The document of a client says something else by now: its name, its redirect URIs or its keys.',
  'client_document.refused':
    'The document of a client could not be read, or may not say what it says: `detail.reason` says why. The last good copy serves for 7 days.',
  'client_document.ended':
    'The host of a client’s document said for an hour that there is none: what the client gave ended.',
  'code.replayed': 'A code was exchanged a second time; what the first exchange gave was revoked.',
  'device_code.approved': 'A person allowed an application on a device to act for them.',
  'device_code.denied':
    'A person refused a device, or cancelled; the actor is anonymous where nobody was signed in.',
  'user_code.throttled':
    'Wrong codes of devices from an address or a browser reached their limit: further ones are refused for a while.',
  'refresh_token.replayed': 'A refresh token that had been replaced was presented; its family was revoked.',
  'proxied_session.ended': 'Somebody signed out of an application behind a proxy.',
  'token_family.revoked': 'A refresh token was revoked, and with it its family.',
  'token.exchanged':
    'A client got a token to act for a person at another service: recorded once for each session, client and service in each organisation, by each process, and anew after the client changed hands. `detail.called_by` names who called it, up to the application.',
  'access_token.revoked': 'One access token was revoked.',
  'consent.given': 'A person allowed a client what it asked for.',
  'consent.withdrawn': 'A consent was withdrawn, and the tokens that it gave were revoked.',
  'signing_key.created': 'A signing key was made: the first one, or by a rotation.',
  'signing_key.imported':
    'A public key of another service is published for verifiers, until `after.published_until`; nothing here takes a token by it.',
  'signing_key.withdrawn': 'A public key of another service was taken out of the key set before its end.',
  'signing_key.reencrypted': 'A private key was encrypted with another secret.',
  'audit_key.created':
    'The key of the audit was replaced by `tessera audit rekey`. Records up to the one before this are not marked by the new one.',
  'audit_key.reencrypted': 'The key of the audit was encrypted with another secret.',
  'webhook_secret.reencrypted': 'A webhook’s secret was encrypted with another secret.',
  'upstream_secret.reencrypted': 'A secret or private key of an upstream was encrypted with another secret.',
  'webhook_delivery.tested': 'A test was sent to a webhook.',
  'webhook_delivery.replayed': 'A delivery to a webhook was put in line again.',
  'mail.tested': 'An administrator had a mail sent to try the mail server.',
  'mail.replayed': 'A mail that was given up was put in line again.',
  'mail.dead':
    'A mail was given up: the server refused it for good, or did not take it before it expired. `detail.reason` says which.',
  'declared.applied':
    'A declared file was applied. One record for each thing that it changed follows, under the same request id.',
  'declared.exported': 'The whole state was written out as a declared file.',
  'database.backed_up': 'The embedded database was copied.',
  'database.restored':
    'A backup took the place of what the database held; every session and token family ended.',
  'database.lost': 'The database lacked what had been acknowledged; every session and token family ended.',
  'audit.exported': 'Audit records were written out.',
  'audit.archived': 'A closed month was written into a file, and its records were removed.',
  'invitation.created': 'Somebody was invited.',
  'invitation.resent': 'An invitation got another link; the one from before no longer counts.',
  'invitation.withdrawn': 'An invitation was withdrawn before it was accepted.',
  'invitation.accepted':
    'Somebody accepted an invitation: they got an account, or profiles for the one they had.',
  'address.requested': 'A person asked for another address; nothing has changed yet.',
  'address.changed': 'A person confirmed another address: `before` and `after` hold both.',
  'address.undone': 'A change of an address was undone by the link that the address from before had got.',
  'account.downloaded': 'A person downloaded what is known of them.',
  'deletion.requested':
    'A person asked to be removed: they are disabled, and removed after 14 days unless that is undone.',
  'deletion.undone':
    'The removal that a person had asked for was undone: by them, an administrator or the link of a notice.',
  'link.created': 'A person is linked to who they are at an upstream, and signs in by that from then on.',
  'link.removed': 'A link to an upstream was removed.',
  'link.refused':
    'An upstream proved somebody who was not let in, or told an address that does not count: `detail.reason` says why.',
  'link.conflict':
    'An upstream proved another subject than the one that the person is linked to: nobody was signed in.',
  'person.provisioned': 'An upstream or a directory made an account.',
  'person.suspended':
    'A directory or an upstream said that somebody is away: nothing of theirs counts in the organisation.',
  'person.restored':
    'A directory or an upstream said that somebody is back. `detail.reason` is `source_removed` where it was removed itself: then what it had ended stays disabled.',
  'profile.mapped':
    'A mapping gives a profile: `actor` is the upstream or directory. `after` holds one that is new.',
  'profile.unmapped': 'A mapping gives a profile no more; `before` holds one that ended with it.',
  'groups.unknown':
    'An upstream has too many groups of somebody to tell, or tells them in no readable way: their profiles stay as they are.',
  'break_glass.used': 'Somebody signed in who gets in when the organisation’s upstream does not.',
  'upstream.tried':
    'A sign-in through an upstream was tried, for whom the actor is: nobody was signed in, and nothing else was written. `detail` says what would have come of it.',
  'sync.stopped':
    'A look at a directory was not believed: it failed, was empty, or too many were gone. Nobody was suspended.',
  'upstream_invitation.created':
    'A set-up link was made, by which an organisation sets up its sign-in itself.',
  'upstream_invitation.opened':
    'Somebody began by a set-up link: it counts in that browser alone from then on.',
  'upstream_invitation.entered':
    'Something was entered by a set-up link: `detail.step` says what. It counts nowhere yet.',
  'upstream_invitation.handed_in': 'What was entered by a set-up link was handed in; the link ended.',
  'upstream_invitation.confirmed':
    'What was handed in was confirmed, and counts from then on: `detail` names what was made.',
  'upstream_invitation.withdrawn': 'A set-up link was withdrawn, with what was entered by it.',
  'setup_link.created': 'A one-time link was made, by which the first administrator names themself.',
  'setup_link.used': 'The first administrator was made by such a link.',
} as const

const actions: Record<AuditedAction, string> = {
  created: 'was made',
  changed: 'was changed: `before` and `after` hold the fields that differ',
  removed: 'was removed: `before` holds what it was',
}

type EventKind = keyof typeof events
export type AuditKind = EventKind | `${AuditedName}.${AuditedAction}` | `${SettledName}.changed`

/** What happened to an administered thing. What is always there is only changed. */
export const thingKind = (thing: AuditedThing, action: AuditedAction) => `${thing}.${action}` as AuditKind

/** A thing has three kinds: `user.created`, `user.changed`, `user.removed`. */
const audited = thingNames.filter((name) => things[name].ownKinds !== true)

/** Every kind of record, and what it means. */
export const auditKinds: Readonly<Record<AuditKind, string>> = {
  ...events,
  ...(Object.fromEntries([
    ...audited.flatMap((thing) =>
      Object.entries(actions).map(([action, words]) => [
        `${thing}.${action}`,
        `${/^[aeo]|^upstream/.test(thing) ? 'An' : 'A'} ${thing} ${words}.`,
      ]),
    ),
    ...Object.entries(settledThings).map(([thing, words]) => [
      `${thing}.changed`,
      `The ${words} ${actions.changed}.`,
    ]),
  ]) as Record<Exclude<AuditKind, EventKind>, string>),
}

/** The kinds of actors. `anonymous`: one who did not prove who they are. */
export type ActorKind = 'user' | 'client' | 'command' | 'service' | 'anonymous' | 'upstream' | 'directory'
